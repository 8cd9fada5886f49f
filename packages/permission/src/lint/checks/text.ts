import { patternWords } from '../rules.js'
import { type Check, named } from './check.js'

/** Characters that can't be seen, and quotes that a word processor makes. */
const INVISIBLE = /[\0-\x08\x0b-\x1f\x7f-\xa0\p{Cf}\p{Zl}\p{Zp}\u2018-\u201f]|(?! )\p{Zs}/u

export const blanks: Check = (subject) => {
  const { text, rule } = subject
  const inner = /\((.*)\)\s*$/s.exec(text)?.[1]
  const odd = INVISIBLE.exec(text)
  const code = 'permission.lint.blanks'
  if (odd) {
    const point = (odd[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return {
      code,
      message: `The ${named(subject)} holds U+${point}, which is no plain blank or quote, so it stands for itself.`,
      hint: 'Type the rule anew with plain characters.',
    }
  }
  // In a command they are within quotes and part of a word, or end a command, which is said elsewhere.
  const within = subject.about !== 'command' && /[\t\n]/.test(text.trim())
  if (within || text !== text.trim() || (inner !== undefined && inner !== inner.trim())) {
    return {
      code,
      message: `The ${named(subject)} has ${within ? 'a tab or a line break in it' : 'blanks at its ends'}, and not every program that reads this file leaves them out.`,
      hint: `Write \`${rule.text
        .replace(/\(\s+/, '(')
        .replace(/\s+\)$/, ')')
        .replace(/\s+/g, ' ')}\`.`,
    }
  }
  const [, quoted] = /^(["'`])[^"'`]*\1(?: ?:?\*)?$/.exec(inner ?? '') ?? []
  if (quoted === undefined) return undefined
  return {
    code,
    message: `The ${named(subject)} has quotes around what it is about, and they are part of it.`,
    hint: `Leave them out: \`${rule.tool}(${(inner ?? '').replaceAll(quoted, '')})\`.`,
  }
}

/** Nobody writes a longer rule, and the time of some patterns grows faster than the text. UTF-16 units. */
const MAX_TEXT = 1000

function withoutQuotes(text: string): string {
  return text.slice(0, MAX_TEXT).replace(/'[^']*'|"[^"]*"|\\[|&;<>]/g, '')
}

/** Regular expressions, alternatives, braces and negation. */
export const foreignPattern: Check = (subject) => {
  const { specifier = '' } = subject.rule
  const text = withoutQuotes(specifier)
  const ofCommand = subject.about === 'command'
  const found = ofCommand ? commandSign(text) : pathSign(text)
  if (!found || !(subject.about || /^domain:/.test(specifier))) return undefined
  const words = ofCommand
    ? 'In a command `*` alone has a meaning: any characters.'
    : 'Patterns of paths are those of .gitignore, of hosts `*.` in front.'
  return {
    code: 'permission.lint.pattern',
    message: `The ${named(subject)} holds \`${found}\`, which looks like another pattern language and stands for itself.`,
    hint: `${words} Write one rule for each case.`,
  }
}

function commandSign(text: string): string | undefined {
  return (
    /^\^|^\/\^?.*\$?\/$/.exec(text)?.[0] ??
    /(?<![*\d])\.[*+](?!\w)|\\[dwsbDWS.]|\(\?[:=!]|\([^()\s]*\|[^()]*\)|\[\^?\w-\w|\{[^{}\s]*,[^{}\s]*\}/.exec(
      text,
    )?.[0] ??
    /\$$/.exec(text)?.[0]
  )
}

function pathSign(text: string): string | undefined {
  return /^\^|^!|\.\+|\\[dwsb.]|\([^()]*\|[^()]*\)|\{[^{}]*,[^{}]*\}|\$$/.exec(text)?.[0]
}

/** Words that open, part and close commands of a shell: what stands behind them is judged, and they are not. */
const OF_SHELL = /^(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function|!|\{|\})(?:\s|$)/

/** Each command of a line is judged alone, without its redirects. */
export const compound: Check = (subject) => {
  const { specifier = '' } = subject.rule
  if (subject.about !== 'command') return undefined
  const code = 'permission.lint.compound'
  const found = /&&|\|\||[;|\n]|&\s*$|\d?>>?&?|</.exec(withoutQuotes(specifier))?.[0]
  if (found !== undefined) {
    const operator = found === '\n' ? 'a line break' : `\`${found.trim()}\``
    return {
      code,
      message: `The ${named(subject)} holds ${operator}, but commands are judged one by one and without redirects, so it speaks about none.`,
      hint: 'Write a rule for each command of the line.',
    }
  }
  const word = OF_SHELL.exec(specifier.trim())?.[0].trim()
  if (word === undefined) return undefined
  return {
    code,
    message: `The ${named(subject)} begins with \`${word}\`, a word of the shell itself, so it speaks about no command.`,
    hint: 'Remove it; the commands between such words have rules of their own.',
  }
}

const PARAMETERS = ['run_in_background', 'timeout', 'description', 'dangerouslyDisableSandbox']

/** `:*` and `field:value` where they mean nothing. */
export const misspeltSpecifier: Check = (subject) => {
  const { specifier = '', tool } = subject.rule
  const fault = (what: string, hint: string) =>
    ({ code: 'permission.lint.specifier', message: `The ${named(subject)} ${what}.`, hint }) as const
  if (subject.about === 'command') {
    if (/:\*./s.test(specifier) || /[ :]:\*$/.test(specifier)) {
      const fixed = specifier.replace(/\s*:+\*/g, ' *').replace(/(?:\s\*)+$/, ' *')
      return fault(
        'holds `:*` where it stands for itself: it has a meaning at the end only',
        `Write \`${tool}(${fixed})\`.`,
      )
    }
    const [, origin] = /(\w+:\/\/[^\s/:*]+):\*$/.exec(specifier) ?? []
    if (origin !== undefined) {
      return fault(
        `ends with \`:*\`, which begins a new word and stands for no port: it is about \`${origin}\` alone`,
        `Write \`${tool}(${specifier.slice(0, -2)}*)\`.`,
      )
    }
    const variable = /\$(?!HOME\b)[A-Za-z_]\w*|\$\{(?!HOME\})[^}]*\}|\$[(?@#*!\d]/.exec(
      specifier.replace(/\\.|'[^']*'/g, ''),
    )?.[0]
    if (variable !== undefined) {
      return fault(
        `holds \`${variable}\`, but commands are judged with what it stands for in its place, so it fits none`,
        'Write `*` where it may be anything.',
      )
    }
    const [, field = '', rest = ''] = /^([A-Za-z][\w-]*):(?!\*$)(\S*)/.exec(specifier) ?? []
    if (PARAMETERS.includes(field) && subject.effect === 'allow') {
      return fault(
        `is about a command that begins with \`${field}:\`; a field of the input can be named in deny and ask rules only`,
        'Allow the command, and deny or ask the values that must not pass.',
      )
    }
    if (field !== '' && !PARAMETERS.includes(field)) {
      return fault(
        `is about \`${field}:\`, and a colon separates nothing in a command`,
        `Write \`${tool}(${field} ${rest === '' ? '*' : rest})\`.`,
      )
    }
    return undefined
  }
  if (subject.about === 'path') {
    const [, prefix] = /^((?:file_?)?path|file|glob|dir):/i.exec(specifier) ?? []
    if (prefix !== undefined)
      return fault(`begins with \`${prefix}:\`, which is taken as part of the path`, 'Write the path alone.')
    if (/:\*$/.test(specifier)) {
      const folder = specifier.replace(/\/?:\*$/, '')
      return fault('ends with `:*`, which has a meaning for commands only', `Write \`${tool}(${folder}/**)\`.`)
    }
    return undefined
  }
  const [, host] = /^domain:\s+([^\s,]+)$/.exec(specifier) ?? []
  if (tool === 'WebFetch' && host !== undefined) {
    return fault(
      'has a blank behind the colon, which not every program leaves out',
      `Write \`${tool}(domain:${host})\`.`,
    )
  }
  if (tool === 'WebFetch' && /^domain:.*[,\s]/.test(specifier)) {
    return fault('names several hosts', 'Write one rule for each host.')
  }
  return undefined
}

/** `deny: Bash(git push)` lets `git push origin main` through. */
export const exactDeny: Check = (subject) => {
  const { rule, effect } = subject
  const { specifier = '', tool } = rule
  if (effect === 'allow' || subject.about !== 'command' || specifier.includes('*')) return undefined
  const words = patternWords(specifier)
  if (words.length > 2 || !words.every((word) => /^-{0,2}[A-Za-z][\w-]*$/.test(word))) return undefined
  return {
    code: 'permission.lint.exact',
    message: `The ${named(subject)} speaks about exactly this command: with one more word it says nothing.`,
    hint: `Write \`${tool}(${specifier} *)\`, which is about \`${specifier}\` with and without further words.`,
  }
}
