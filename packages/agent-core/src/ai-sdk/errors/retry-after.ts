/** How long the other side wants to be left alone: `retry-after-ms` of OpenAI, or `Retry-After` as seconds or a date. */
export function retryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  return milliseconds(headers['retry-after-ms'], 1) ?? milliseconds(headers['retry-after'], 1000) ?? untilDate(headers)
}

function milliseconds(text: string | undefined, unit: number): number | undefined {
  if (text === undefined || !/^\s*\d+(?:\.\d+)?\s*$/.test(text)) return undefined
  return Math.ceil(Number(text) * unit)
}

/** By the clock of the other side, so that it does not matter how right ours is. */
function untilDate(headers: Readonly<Record<string, string>>): number | undefined {
  const ms = Date.parse(headers['retry-after'] ?? '') - Date.parse(headers['date'] ?? '')
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
