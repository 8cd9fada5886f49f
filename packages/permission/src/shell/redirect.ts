import { type Touch, touch } from './effects.js'
import { expandParts, expandText, expandWord, spanOf } from './expand.js'
import type { Redirection } from './parse.js'
import type { Input, Place, Shell } from './shell.js'
import type { State } from './state.js'
import { DYNAMIC } from './types.js'

export interface Redirects {
  readonly touches: readonly Touch[]
  /** Where the command reads from, if a redirect says so. */
  readonly input?: Input
}

/** Reads redirects and runs what is substituted in them. What they touch is reported by the caller, who knows for whom. */
export function readRedirects(shell: Shell, redirects: readonly Redirection[], state: State, place: Place): Redirects {
  const touches: Touch[] = []
  let input: Input
  for (const redirect of redirects) {
    const span = spanOf(redirect, place)
    const isInput =
      redirect.descriptor === undefined || ('value' in redirect.descriptor && redirect.descriptor.value === 0)
    if (redirect.type === 'HereDoc') {
      const { parts, text } = redirect.body
      if (!redirect.closing) shell.report.unknown({ code: 'syntax', message: 'A here-document has no end.', span })
      const body = redirect.delimiter?.quoted || !parts ? text : expandParts(shell, parts, state, place)
      if (isInput) input = { text: body, from: 'a here-document' }
    } else if (!redirect.target) {
      shell.report.unknown({ code: 'syntax', message: 'A redirect has no target.', span })
    } else if (redirect.type === 'HereString') {
      const { values } = expandText(shell, redirect.target, state, place)
      if (isInput) input = { text: values.join('\n'), from: 'a here-string' }
    } else {
      const { operator, target } = redirect
      const { alternatives } = expandWord(shell, target, state, place)
      if (shell.context.shell === 'zsh' && /^[!|]/.test(target.text)) {
        shell.report.unknown({
          code: 'language',
          message: `zsh reads \`${operator}!\` as a redirect of its own.`,
          span,
        })
      }
      for (const arg of alternatives.flat()) {
        if (operator.endsWith('&') && /^(?:\d+-?|-|p)$/.test(arg.text)) {
          if (operator === '<&') input = { from: `descriptor ${arg.text}` }
          continue
        }
        const one = { arg, state, span, remote: place.remote }
        if (operator.startsWith('<')) touches.push({ ...one, kind: 'read' })
        if (operator !== '<' && operator !== '<&') touches.push({ ...one, kind: 'write' })
        if (operator.startsWith('<') && isInput) input = { from: arg.text.includes(DYNAMIC) ? 'a file' : arg.text }
      }
    }
  }
  return input === undefined ? { touches } : { touches, input }
}

export function applyRedirects(shell: Shell, { touches }: Redirects, unit: number | undefined): void {
  for (const each of touches) touch(shell, { ...each, unit })
}
