import { createReporter, type Diagnostic, type Located } from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import type { CommandAction } from './actions.js'
import type { HookEntry } from './entry.js'
import { bashOnly } from './lint-bash.js'
import { lintVariables, type VariableHost } from './lint-variables.js'

const report = createReporter(diagnosticCodes)

/** Variables that hold a path, which may hold a space. */
const PATH_VARIABLES = [
  'CLAUDE_PROJECT_DIR',
  'CLAUDE_PLUGIN_ROOT',
  'CLAUDE_PLUGIN_DATA',
  'HOOK_PROJECT_DIR',
  'HOOK_CWD',
]

/** What can be seen in a command before it runs: variables that break in their quotes, and variables nobody sets. */
export function lintCommand(
  entry: Located<HookEntry>,
  action: CommandAction,
  host: VariableHost,
): readonly Diagnostic[] {
  const base = entry.value.dialect === 'ext' ? '/action' : ''
  const place = (key: string) => [entry.at(`${base}/${key}`), { pointer: `${entry.pointer}${base}/${key}` }] as const
  const findings: Diagnostic[] = []
  const [source, details] = place('command')
  if (action.args === undefined) {
    const uses = variableUses(action.command)
    const unquoted = uses.find(({ quote }) => quote === 'none')
    if (unquoted) {
      findings.push(
        report.warning(
          'hooks.shell.unquoted',
          source,
          `\`$${unquoted.name}\` stands outside of quotes, so the command breaks in a folder with a space.`,
          { ...details, hint: `Write "$${unquoted.name}"/…, or use \`args\`, which need no quotes.` },
        ),
      )
    }
    const single = uses.find(({ quote }) => quote === 'single')
    if (single) {
      findings.push(
        report.error(
          'hooks.shell.single-quoted',
          source,
          `\`$${single.name}\` stands in single quotes, where the shell leaves it as it is.`,
          { entry: entry.id, ...details, hint: `Use double quotes: "$${single.name}".` },
        ),
      )
    }
    const bash = action.shell === 'sh' ? bashOnly(action.command) : undefined
    if (bash !== undefined) {
      const message = `The command uses \`${bash}\`, which is bash, and \`sh\` runs it.`
      const hint = 'Add `shell: bash`.'
      findings.push(report.warning('hooks.shell.bash-only', source, message, { ...details, hint }))
    }
  } else if (action.shell !== 'sh') {
    const [shellSource, shellDetails] = place('shell')
    const message = '`shell` has no effect beside `args`, which run the command without a shell.'
    const hint = 'Remove one of the two.'
    findings.push(report.warning('hooks.shell.unused', shellSource, message, { ...shellDetails, hint }))
  }
  findings.push(...lintVariables(entry, action, host))
  return findings
}

interface VariableUse {
  readonly name: string
  readonly quote: 'none' | 'single'
}

/**
 * Path variables outside of quotes or in single quotes. Follows quotes, escapes, comments and `$(…)`; a script with a
 * here-document is left alone, since quotes mean nothing in there.
 */
function variableUses(script: string): readonly VariableUse[] {
  if (script.includes('<<')) return []
  const uses: VariableUse[] = []
  /** One level per `$(`; quotes inside are of their own. */
  const levels: ('none' | 'double')[] = ['none']
  for (let at = 0; at < script.length; at++) {
    const char = script[at]
    const inDouble = levels.at(-1) === 'double'
    if (char === '\\') at++
    else if (char === '"') levels[levels.length - 1] = inDouble ? 'none' : 'double'
    else if (char === '$' && script[at + 1] === '(') {
      levels.push('none')
      at++
    } else if (char === '$' && !inDouble) {
      const name = pathVariable(script, at)
      // An assignment does not split its value.
      if (name && script[at - 1] !== '=') uses.push({ name, quote: 'none' })
    } else if (inDouble) continue
    else if (char === ')' && levels.length > 1) levels.pop()
    else if (char === '#' && /^$|\s/.test(script[at - 1] ?? '')) at = lineEnd(script, at)
    else if (char === "'") {
      const end = script.indexOf("'", at + 1)
      const quoted = script.slice(at, end === -1 ? undefined : end)
      const dollar = quoted.indexOf('$')
      const name = dollar === -1 ? undefined : pathVariable(quoted, dollar)
      // `bash -c '…'` hands the text to a shell that does replace it.
      if (name && !/\s-\w*c\s*$/.test(script.slice(0, at))) uses.push({ name, quote: 'single' })
      if (end === -1) break
      at = end
    }
  }
  return uses
}

function pathVariable(script: string, dollar: number): string | undefined {
  const name = /^\$\{?(\w+)/.exec(script.slice(dollar, dollar + 40))?.[1]
  return PATH_VARIABLES.find((known) => known === name)
}

function lineEnd(script: string, from: number): number {
  const end = script.indexOf('\n', from)
  return end === -1 ? script.length : end
}
