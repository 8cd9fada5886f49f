/** The known name that is closest to a misspelt one, or `undefined` if none is close enough to be meant. */
export function suggest(found: string, known: Iterable<string>): string | undefined {
  const wanted = fold(found)
  const allowed = wanted.length < 2 ? 0 : Math.max(1, Math.floor(wanted.length / 3))
  let best: string | undefined
  let bestDistance = allowed + 1
  for (const name of known) {
    if (name.toLowerCase() === found.toLowerCase()) return name
    const folded = fold(name)
    // No fewer edits than letters that one has more than the other.
    if (Math.abs(folded.length - wanted.length) >= bestDistance) continue
    const distance = editDistance(wanted, folded)
    if (distance < bestDistance) {
      best = name
      bestDistance = distance
    }
  }
  return best
}

/** Case and separators are what people get wrong without misspelling anything. Beyond 64 characters nothing is a name. */
function fold(name: string): string {
  return name
    .slice(0, 64)
    .toLowerCase()
    .replace(/[-_\s]/g, '')
}

/** Optimal string alignment: a swap of neighbours counts as one edit. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let value = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        value = Math.min(value, (beforeLast[j - 2] ?? 0) + 1)
      }
      row.push(value)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
