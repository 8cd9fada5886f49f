import { describe, isMap, joinPointer, suggest } from '@ext/kernel'
import { ENV_PRESETS } from '@ext/kernel/env'
import type { Parts } from './parts.js'

/** Checks the names of variables that an entry sets, passes on or needs. */
export function checkVariables(parts: Parts): void {
  const env = parts.at('/env')
  for (const name of Object.keys(isMap(env) ? env : {})) {
    if (/^[^=\0]+$/.test(name)) continue
    const message = `${JSON.stringify(name)} can't be the name of a variable.`
    parts.notes.error('mcp.env.name', joinPointer('/env', name), message, 'A name is not empty and has no `=`.', 'key')
  }
  checkNames(parts, '/required', parts.at('/required'))
  const passed = parts.at('/inheritEnv')
  checkNames(parts, '/inheritEnv', passed)
  if (typeof passed !== 'string') return
  const words = ['all', ...Object.keys(ENV_PRESETS)]
  if (words.includes(passed)) return
  const meant = suggest(passed, words)
  const hint = meant ? `Did you mean \`${meant}\`?` : `Use one of: ${words.join(', ')}; or a list of names.`
  parts.notes.error('mcp.env.name', '/inheritEnv', `\`inheritEnv\` is ${describe(passed)}.`, hint)
}

function checkNames(parts: Parts, pointer: string, names: unknown): void {
  if (!Array.isArray(names)) return
  for (const [index, name] of names.entries()) {
    if (typeof name !== 'string' || name === '') continue
    const at = joinPointer(pointer, index)
    if (name === 'all' && pointer === '/inheritEnv') {
      parts.notes.error(
        'mcp.env.name',
        at,
        '`all` stands in a list of names.',
        'Write `inheritEnv: all` if all is meant.',
      )
    } else if (/[=\0${}\s]/.test(name)) {
      const hint = 'Write the name only, such as `GITHUB_TOKEN`.'
      parts.notes.error('mcp.env.name', at, `${JSON.stringify(name)} can't be the name of a variable.`, hint)
    }
  }
}
