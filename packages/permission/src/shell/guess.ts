import type { Call } from './call.js'
import { findProgram, isProjectTool } from './programs/lookup.js'
import { DYNAMIC } from './types.js'
import type { Arg } from './word.js'

/** Sub-commands under which programs of all kinds run what follows. */
const RUNS =
  /^(?:(?:[\w-]+:)?(?:exec|eval)|exec-\w+|sh|shell|bash|ssh|rsh|console|repl|tinker|runner|db-?shell|dbconsole|run-?(?:command|operation)|send-?command|command|cmd|spawn|xargs|try-repo)$/

/** Words behind these are names of packages, topics and the like. */
const NAMES =
  /^(?:install|i|add|uninstall|remove|rm|upgrade|update|info|show|list|ls|search|use|pin|which|where|help|completions?|current|pull|tag|import|create|new|init|describe|explain|outdated|link|unlink|switch|default)$/

/** What options are called that take a command or a program: `--pre-hook`, `--on-change`, `--pager`. */
const CODE_OPTION =
  /^--?(?:[\w.]+[-_.])*(?:exec(?:ute)?|eval|expr(?:ession)?|command|cmd|scripts?|hook|pager|editor|executable|runner|wrapper|launcher|askpass|proxy-?command|on-?(?:change|success|failure|error|exit|start|stop|event))$/i

/** The same of options that take the path of something to load; names alone are those of what is installed. */
const LOAD_OPTION =
  /^--?(?:[\w.]+[-_.])*(?:plugins?|require|preload|loader|import|extension|module-?path|init|init-?file|init-?script|rc-?file|shell|program|helper|driver|engine|compiler|interpreter|config-?env|\w+-filter)$/i

/** `exec.executable=touch`, `core.pager=x` */
const CODE_SETTING =
  /^(?:[\w-]+[.:])*(?:exec(?:ut(?:e|able))?|command|cmd|pager|editor|(?:java|ssh)?-?agent|scripts?|hook|launcher|wrapper|exec\.args)(?:$|\.)/i

/** Flags that let a program do what it would not do by itself. */
const RECKLESS =
  /^--?(?:\w+-)*(?:shell-?escape|write18|privileged|dangerous(?:ly)?(?:-[\w-]+)?|raw-command|script-security|unsafe(?!-fix)[\w-]*)(?:=|$)/i

/** What code looks like that runs programs, in whatever language; and documents and addresses that are code. */
const CODE_TEXT =
  /\b(?:system|exec[lv]?[pe]?|eval|popen|spawn|syscmd|esyscmd|shell|shell_exec|passthru|proc_open|write18|require|__import__)\s*[({'"]|\b(?:import\s+os|os\.|subprocess|child_process|ProcessBuilder|getRuntime|do shell script|(?:Proxy|Local|Remote|KnownHosts|Pre|Post)-?Command)\b|^\s*\(\w[\w-]*[\s)]|^\\(?:input|include|write18|immediate|directlua|openin|openout)\b|^(?:msl|mvg|ephemeral|label|text|caption|macro|ext|fd|exec|javascript|vbscript|data|phar|expect|pipe|process|system|cmd|shell):(?=\S)/i

/** Files that hold code. */
const SCRIPT_FILE = /\.(?:py|rb|lua|pl|pm|tcl|scm|el|vim|sh|bash|ps1|so|dylib|dll|jar|groovy|gdb|nse|wasm)$/i

/** Values of such options that name nothing that could run. */
const QUIET_VALUE =
  /^(?:|\d+|true|false|yes|no|on|off|auto|always|never|none|all|ba?sh|zsh|fish|(?:power|elvi)sh|dev(?:elopment)?|prod(?:uction)?|staging|test)$/i

const SQL = /^\s*(?:select|insert|update|delete|create|alter|drop|explain|show|describe|with|pragma|begin|set)\b/i

/** Names of programs that are everyday words, and so the sub-commands and arguments of others. */
const WORDS: ReadonlySet<string> = new Set(
  '. : [ true false test install set unset env fmt read let type help time times watch open start stop code task split join sort cut file find host history jobs wait clear date df du k op R go export import alias enable complete continue break return exit bind declare link cal expr factor groups id info who tree stat size sum head tail more less most yes top ed ex view at batch script service serve port choco gem dig scoop snap pkg brew mount format fold paste column strings patch diff comm rev black stack dune mix nox tap ava fly swift jest cypress playwright local fish joe micro nl od pr hash trap red route ip man seq sleep hostname reset locale expect racket bundle hatch rye packer firebase vercel netlify heroku helm az just ant http see es rc'.split(
    ' ',
  ),
)

/**
 * What words may do of which the table does not know what they are for: they may be a command, or hold one, or tell the
 * program what to load.
 * @param explained whether the table says what the word at a place is for
 */
export function guess(call: Call, from: number, explained: (at: number) => boolean = () => false): void {
  const { args } = call
  let names = false
  let behind = false
  let operands = 0
  for (let at = from; at < args.length; at++) {
    const arg = args[at]
    if (!arg || explained(at)) continue
    const { text } = arg
    if (text === '--') {
      behind = true
      names = false
    } else if (text.startsWith('-') && text.length > 1) {
      guessOption(call, arg, at, explained(at + 1) ? undefined : args[at + 1])
    } else {
      guessText(call, arg, at)
      if (RUNS.test(text) && operands < 4 && !names)
        call.unknown('code', `\`${call.unit.program} ${text}\` may run what follows`, at)
      if (!names && isCommand(args, at, behind, call))
        call.unknown('program', `\`${shown(text)}\` may be a command that \`${call.unit.program}\` runs`, at)
      if (operands < 2 && NAMES.test(text)) names = true
      operands++
      behind = false
    }
  }
}

/** Whether a program stands here with words for it. */
function isCommand(args: readonly Arg[], at: number, behind: boolean, { shell }: Call): boolean {
  const text = args[at]?.text ?? ''
  if (behind && /^(?:\.{1,2}\/[\w/-]+|[^\s=]*\/[^\s=]*\.(?:sh|bash))$/.test(text)) return true
  if (text.includes('/') && !/^\/(?:usr\/(?:local\/)?)?s?bin\/[^/=]+$/.test(text)) return false
  const found = findProgram(text, shell.programs, shell.foldCase)
  if (!found || isProjectTool(found.row)) return false
  return behind || (args[at + 1] !== undefined && !WORDS.has(text))
}

function guessOption(call: Call, arg: Arg, at: number, next: Arg | undefined): void {
  const { text } = arg
  const equals = text.indexOf('=')
  const name = equals === -1 ? text : text.slice(0, equals)
  if (RECKLESS.test(text)) told(call, name, at)
  if (/^-[^-]./.test(text)) {
    guessSetting(call, text.replace(/^-D?/, ''), at)
    if (name.length > 2 && SCRIPT_FILE.test(text)) told(call, text, at)
  }
  const attached = equals !== -1
  const value = attached ? { ...arg, text: text.slice(equals + 1) } : next
  if (!value || (!attached && value.text.startsWith('-')) || QUIET_VALUE.test(value.text) || SQL.test(value.text))
    return
  const valueAt = attached ? at : at + 1
  if (attached) guessText(call, value, at)
  const code =
    CODE_OPTION.test(name) ||
    (LOAD_OPTION.test(name) && /[\s/\\]|\.\w+$/.test(value.text)) ||
    (/^-[ceExX]$/.test(name) && /[;|&`$(){}\s]/.test(value.text)) ||
    (call.row === undefined && /^-[a-zA-Z]$/.test(name) && !/^-[oiOf]$/.test(name) && SCRIPT_FILE.test(value.text))
  if (code) told(call, name, valueAt)
}

function told(call: Call, name: string, at: number): void {
  call.unknown('option', `\`${shown(name)}\` may tell \`${call.unit.program}\` what to run or load`, at)
}

/** A word that is a command line, or code. */
function guessText(call: Call, arg: Arg, at: number): void {
  const { text } = arg
  if (mayBeLine(text, call) || CODE_TEXT.test(text) || /^!\s*[a-z][\w-]*(?:\s|$)|^\|\s*\S|\S\s*\|$/.test(text))
    call.unknown('code', `\`${shown(text)}\` may be code or a command`, at)
  guessSetting(call, text, at)
}

function guessSetting(call: Call, text: string, at: number): void {
  const key = /^[\w.:-]+(?==)/.exec(text)?.[0]
  if (key !== undefined && CODE_SETTING.test(key) && !QUIET_VALUE.test(text.slice(key.length + 1))) told(call, key, at)
}

/** Whether a word reads like a command line: a program and words for it, or several commands. */
function mayBeLine(text: string, { shell }: Call): boolean {
  if (text.includes(DYNAMIC)) return false
  if (!/\s/.test(text)) return /\$\([^)]|^[^\s]+;\s*\w/.test(text)
  if (/[|;&]\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b|\$\(|`/.test(text)) return true
  const [, first = '', second = ''] = /^\s*(?:[A-Za-z_]\w*=\S*\s+)*(\S+)\s+(\S*)/.exec(text) ?? []
  if (!findProgram(first, shell.programs, shell.foldCase)) return false
  return !WORDS.has(first) || /[;|&<>]/.test(text) || /^[-./]/.test(second)
}

function shown(text: string): string {
  return text.replaceAll(DYNAMIC, '…').slice(0, 60)
}
