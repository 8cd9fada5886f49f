/**
 * The fences of one language in a Markdown text.
 * @param {string} text
 * @param {string} language
 * @returns {{line: number, code: string, output: string | undefined}[]} `line` is that of the opening fence. The code
 *   starts with as many empty lines as stand above it, so that every message about it has the line of the README.
 *   `output` is the `text` fence behind it, if only empty lines stand between.
 */
export function collectFences(text, language = 'ts') {
  const fences = []
  const lines = text.split(/\r?\n/)
  for (let index = 0; index < lines.length; index++) {
    const [, mark, of] = lines[index].match(/^(`{3,})(\w*)/) ?? []
    if (!mark) continue
    const start = index + 1
    const end = lines.indexOf(mark, start)
    if (end === -1) throw new Error(`The fence in line ${start} is never closed.`)
    const body = lines.slice(start, end)
    const previous = fences.at(-1)
    if (of === language) {
      fences.push({ line: start, end, code: '\n'.repeat(start) + body.join('\n'), output: undefined })
    } else if (of === 'text' && previous && lines.slice(previous.end + 1, index).every((line) => line === '')) {
      previous.output = body.map((line) => `${line}\n`).join('')
    }
    index = end
  }
  return fences.map(({ line, code, output }) => ({ line, code, output }))
}
