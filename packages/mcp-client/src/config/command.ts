import { isMap, joinPointer } from '@ext/kernel'
import type { Parts } from './parts.js'

/** Checks what is started as far as files can tell, for what no program could mean. */
export function checkCommand(parts: Parts): void {
  const { notes } = parts
  const command = parts.at('/command')
  if (Array.isArray(command)) {
    const hint = 'Write the program into `command`, and the rest of the list into `args`.'
    notes.error('mcp.command.invalid', '/command', '`command` is a list, not a text.', hint)
  } else if (typeof command === 'string') {
    const [program = '', ...words] = command.trim().split(/\s+/)
    if (words.length > 0 && !/[\\/]/.test(program)) {
      const message = '`command` holds blanks; all of it is looked for as the name of one program.'
      const hint = `Write \`command: ${program}\` and \`args: ${JSON.stringify(words)}\`, if that is what is meant.`
      notes.warning('mcp.command.unlikely', '/command', message, hint)
    }
  }
  for (const pointer of ['/command', '/cwd']) {
    const path = parts.at(pointer)
    if (typeof path !== 'string' || !/^~[\\/]/.test(path)) continue
    const message = `\`~\` in \`${pointer.slice(1)}\` is not expanded: no shell reads it.`
    notes.warning('mcp.command.unlikely', pointer, message, 'Write the whole path.')
  }
  const args = parts.at('/args')
  const env = parts.at('/env')
  const texts = [
    ['/command', command],
    ...(Array.isArray(args) ? args : []).map((arg, index) => [joinPointer('/args', index), arg]),
    ...Object.entries(isMap(env) ? env : {}).map(([name, value]) => [joinPointer('/env', name), value]),
  ] as const
  for (const [pointer, text] of texts) {
    if (typeof text !== 'string' || !text.includes('\0')) continue
    const message = 'The text has a NUL in it, which no program can be given.'
    notes.error('mcp.command.invalid', String(pointer), message, 'Remove the character.')
  }
}
