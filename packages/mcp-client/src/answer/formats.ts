/** Why a text is not of a format that MCP knows in forms; `undefined` if it is. */
export function formatFault(format: 'email' | 'uri' | 'date' | 'date-time', text: string): string | undefined {
  switch (format) {
    case 'email':
      return /^[^\s@]+@[^\s@]+$/.test(text) ? undefined : 'must be an address such as name@example.com'
    case 'uri':
      return URL.canParse(text) ? undefined : 'must be an address such as https://example.com'
    case 'date':
      return isDate(text) ? undefined : 'must be a date such as 2026-03-31'
    case 'date-time':
      return isDateTime(text) ? undefined : 'must be a date and time such as 2026-03-31T12:00:00Z'
  }
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  // The 31st of a shorter month becomes a day of the next one.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.split(/[Tt]/)
  const isTime = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/.test(time)
  return isTime && isDate(date)
}
