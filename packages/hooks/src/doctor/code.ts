/** A text that a hook runs: its command, or a script that the command starts. */
export interface Code {
  /** Absolute; absent for the command itself. */
  readonly file?: string
  /** What it is called in messages. */
  readonly called: string
  readonly text: string
  /** The text without comments. */
  readonly bare: string
  readonly shell: boolean
}

export function commandCode(text: string): Code {
  return { called: 'The command', text, bare: withoutComments(text), shell: true }
}

export function scriptCode(file: string, text: string, shell: boolean): Code {
  return { file, called: `\`${file.slice(file.lastIndexOf('/') + 1)}\``, text, bare: withoutComments(text), shell }
}

/** Lines stay where they are, so that what is found can be shown. */
function withoutComments(text: string): string {
  return text.replaceAll(/(^|[\s;])#(?![!{]).*/g, '$1').replaceAll(/^\s*\/\/.*/gm, '')
}

/** The line of a code that something stands in. */
export function lineOf({ bare }: Code, index: number): number {
  return bare.slice(0, index).split('\n').length
}

/** The protocol as a code uses it. What can't be told for sure is taken for the right use of it. */
export interface Protocol {
  /** Where it ends with 1. */
  readonly exit1?: number
  /** Where it ends with 2. */
  readonly exit2?: number
  /** It may end with another code that only is known when it runs. */
  readonly otherExit: boolean
  /** It says something in the words of a reply. */
  readonly replies: boolean
  readonly writesStderr: boolean
}

/** Guards against what the hook itself needs are no answer to the event. */
const SELF_CHECK = /(?<=^|[;&|\n{]\s*)(?:command -v|which|type|cd|test|\[)\s[^\n;|&]*(?:\|\||\])[^\n]*exit 1/g

const EXIT = (code: number) =>
  new RegExp(
    `\\bexit\\s+${code}\\b|\\b(?:sys|os|process)\\._?exit\\(\\s*${code}\\s*\\)|\\bprocess\\.exitCode\\s*=\\s*${code}\\b`,
  )

export function protocolOf({ bare }: Code): Protocol {
  const exit1 = EXIT(1).exec(bare.replaceAll(SELF_CHECK, (text) => ' '.repeat(text.length)))?.index
  const exit2 = EXIT(2).exec(bare)?.index
  return {
    ...(exit1 === undefined ? {} : { exit1 }),
    ...(exit2 === undefined ? {} : { exit2 }),
    otherExit: /\bexit\s+["']?\$|exit\(\s*[A-Za-z_]|exitCode\s*=\s*[A-Za-z_]|\bexec\b/.test(bare),
    replies: /permissionDecision|hookSpecificOutput|\\?["']?\bdecision\\?["']?\s*:|\\?["']continue\\?["']?\s*:/.test(
      bare,
    ),
    writesStderr: />\s*&\s*2|>\s*\/dev\/stderr|sys\.stderr|console\.error|process\.stderr|\$stderr|STDERR|warn\b/.test(
      bare,
    ),
  }
}

/** The longest sleep in a code, in milliseconds. */
export function longestSleep({ bare }: Code): number {
  const unit: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000 }
  const sleeps = [...bare.matchAll(/\bsleep[\s(]+(\d+(?:\.\d+)?)([smh]?)\b/g)]
  return Math.max(0, ...sleeps.map(([, number, letter = '']) => Number(number) * (unit[letter] ?? 1000)))
}
