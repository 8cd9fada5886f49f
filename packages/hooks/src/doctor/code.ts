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

/** A script of a stranger must not keep the doctor busy; what matters stands in less. UTF-16 units. */
const MAX_CODE = 65_536

export function commandCode(written: string): Code {
  const text = written.slice(0, MAX_CODE)
  return { called: 'The command', text, bare: withoutComments(text), shell: true }
}

export function scriptCode(file: string, written: string, shell: boolean): Code {
  const text = written.slice(0, MAX_CODE)
  return { file, called: `\`${file.slice(file.lastIndexOf('/') + 1)}\``, text, bare: withoutComments(text), shell }
}

/** Lines stay where they are, so that what is found can be shown. */
function withoutComments(text: string): string {
  return text.replaceAll(/(^|[\s;])#(?![!{]).*/g, '$1').replaceAll(/^[ \t]*\/\/.*/gm, '')
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

/** What ends a hook that lacks what it needs itself is no answer to the event. */
const SELF_CHECK = /(?:^|[;&|{])\s*(?:command -v|which|type|cd|test|\[)\s[^;|&{]*(?:\|\||\])[^;{]*exit 1/g

const EXIT = (code: number) =>
  new RegExp(
    `\\bexit\\s+${code}\\b|\\b(?:sys|os|process)\\._?exit\\(\\s*${code}\\s*\\)|\\bprocess\\.exitCode\\s*=\\s*${code}\\b`,
  )

/** What ends a hook that has a bad moment is none either. */
const RESCUE = /\b(?:except|catch)\b[\s\S]{0,200}?exit\(\s{0,9}1\s{0,9}\)/g

function withoutSelfChecks(bare: string): string {
  const blank = (text: string) => text.replaceAll(/[^\n]/g, ' ')
  return bare
    .replaceAll(RESCUE, blank)
    .split('\n')
    .map((line) => line.replaceAll(SELF_CHECK, blank))
    .join('\n')
}

export function protocolOf({ bare }: Code): Protocol {
  const exit1 = EXIT(1).exec(withoutSelfChecks(bare))?.index
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

/** Whether a script does nothing but refuse. */
export function onlyRefuses({ bare }: Code): boolean {
  const steps = bare
    .split(/[;\n]/)
    .map((step) => step.trim())
    .filter((step) => step !== '' && !/^(?:#!|cat\s*>|echo\b|set -)/.test(step))
  return steps.length === 1 && steps[0] === 'exit 2'
}
