import { type Applied, fileEffect } from './apply.js'
import type { Call } from './call.js'
import { DYNAMIC } from './types.js'
import { type Arg, plainArg } from './word.js'

/** The little languages of `sed` and `awk`, read far enough to see what they run and write. */
export function codeOf(call: Call, language: 'sed' | 'awk', { words, state }: Applied): void {
  const given = words.options.filter(({ role }) => role === 'lead')
  const [first] = words.operands
  const named = words.options.some(({ role }) => role?.startsWith('lead'))
  const scripts: { arg: Arg; at: number }[] = given.flatMap(({ value, valueAt }) =>
    value ? [{ arg: value, at: valueAt ?? 0 }] : [],
  )
  if (!named && first) scripts.push(first)
  for (const { arg, at } of scripts) {
    if (arg.text.includes(DYNAMIC)) {
      call.unit.readOnly = false
      call.unknown('code', `What \`${language}\` does is only known when the line runs`)
      continue
    }
    const found = language === 'sed' ? readSed(arg.text) : readAwk(arg.text)
    if (found.runs !== undefined) {
      call.unit.readOnly = false
      call.unknown('code', `The ${language} program ${found.runs}`, at)
    }
    for (const path of found.writes) {
      call.unit.readOnly = false
      fileEffect(call, 'write', plainArg(path, arg.span), state)
    }
    for (const path of found.reads) fileEffect(call, 'read', plainArg(path, arg.span), state)
  }
}

export interface CodeRead {
  /** Why it can't be taken at face value. */
  readonly runs?: string
  readonly writes: readonly string[]
  readonly reads: readonly string[]
}

/** Goes through the commands of a sed script. */
export function readSed(script: string): CodeRead {
  const writes: string[] = []
  const reads: string[] = []
  let at = 0
  const line = () => {
    const end = script.indexOf('\n', at)
    const text = script.slice(at, end === -1 ? script.length : end)
    at = end === -1 ? script.length : end + 1
    return text.trim()
  }
  /** Behind the next delimiter that is not escaped. */
  const part = (delimiter: string) => {
    for (; at < script.length; at++) {
      if (script[at] === '\\') at++
      else if (script[at] === delimiter) return ++at
      else if (script[at] === '[' && delimiter !== '[') {
        const close = /^\[\^?\]?(?:[^\]\n])*\]/.exec(script.slice(at, at + 200))
        // A delimiter within brackets ends the part in some versions and not in others.
        if (close && !close[0].includes(delimiter)) at += close[0].length - 1
      }
    }
    return at
  }
  while (at < script.length) {
    const rest = script.slice(at)
    const skipped = /^(?:[\s;{}!]+|#[^\n]*|\d+(?:~\d+)?|\$|,\s*[+~]?|[IM](?=[\s,;{}!a-zA-Z]))/.exec(rest)
    if (skipped) {
      at += skipped[0].length
      continue
    }
    const char = script[at++] ?? ''
    if (char === '/') part('/')
    else if (char === '\\') part(script[at++] ?? '')
    else if (char === 's' || char === 'y') {
      const delimiter = script[at++] ?? ''
      part(delimiter)
      part(delimiter)
      if (char === 'y') continue
      const [flags = ''] = /^[gpiImM0-9e]*/.exec(script.slice(at)) ?? []
      at += flags.length
      if (flags.includes('e')) return { runs: 'runs what it has replaced', writes, reads }
      if (script[at] === 'w') {
        at++
        writes.push(line())
      }
    } else if (char === 'w' || char === 'W') writes.push(line())
    else if (char === 'r' || char === 'R') reads.push(line())
    else if (char === 'e') return { runs: 'runs a command', writes, reads }
    else if ('aic'.includes(char)) {
      while (line().endsWith('\\') && at < script.length);
    } else if (':btT'.includes(char)) at += /^[^\n;}]*/.exec(script.slice(at))?.[0].length ?? 0
    else if ('qQlL'.includes(char)) at += /^\s*\d*/.exec(script.slice(at))?.[0].length ?? 0
    else if (!'=dDgGhHnNpPxzFvk'.includes(char)) return { runs: "can't be read", writes, reads }
  }
  return { writes, reads }
}

/** Looks for what runs and writes in an awk program; everything else it may hold is left alone. */
export function readAwk(program: string): CodeRead {
  const bare = program
    .replace(/"(?:[^"\\\n]|\\[\s\S])*"/g, '""')
    .replace(/(^|[(,~!&|{};\n=?:])(\s*)\/(?:[^/\\\n]|\\.)+\//g, '$1$2""')
    .replace(/#[^\n]*/g, '')
  const writes: string[] = []
  if (/\bsystem\s*\(/.test(bare)) return { runs: 'runs a command', writes, reads: [] }
  if (/(?<!\|)\|(?!\|)/.test(bare)) return { runs: 'opens a pipe', writes, reads: [] }
  if (/@/.test(bare)) return { runs: 'loads something else', writes, reads: [] }
  if (/\bgetline\b|\bARG(?:V\s*\[[^\]]*\]|C)\s*=(?!=)/.test(bare))
    return { runs: 'reads other files', writes, reads: [] }
  if (/\bprintf?\b[^;}\n]*>/.test(bare)) {
    const targets = [...program.matchAll(/>\s*"([^"\\]+)"/g)].map(([, path = '']) => path)
    if (targets.length === 0) return { runs: 'writes a file', writes, reads: [] }
    writes.push(...targets)
    return { runs: 'writes a file', writes, reads: [] }
  }
  return { writes, reads: [] }
}

/** What `psql` shows about a database. */
const SQL_SHOWS = /^\\(?:d[a-zA-Z]*\+?|l\+?|conninfo|x|timing|z|sf|sv|encoding|a|t|q|h|\?)(?:\s[^\\`|]*)?$/

/** Statements and functions that leave the database: for a shell, a file, or code of the server. */
const SQL_LEAVES =
  /\\|`|\b(?:program|outfile|dumpfile|infile|load|load_\w+|readfile|writefile|edit|fsdir|attach|copy|export|import|install|source|system|delimiter|tee|pager|lo_import|lo_export|pg_(?:read|ls|stat|write)\w*|dblink\w*|xp_\w+|sys_(?:exec|eval)|language|extension|function|procedure|execute|do|alter\s+system|read_(?:text|blob|csv\w*|json\w*|parquet)|sniff_csv|glob)\b|\b(?:executable|remote|url|s3|hdfs|jdbc|file)\s*\(|\binto\s+'|\bfrom\s+'/i

/** Dot commands of `sqlite3` that only show. */
const DOT_SHOWS =
  /^\.(?:tables?|schema|headers?|mode|indexes|indices|dbinfo|databases?|help|show|width|nullvalue|stats|eqp|exit|quit|dump|fullschema)(?:\s[^|<>]*)?$/

/** Whether SQL does more than a database is there for. */
export function leavesDatabase(text: string): boolean {
  return text.split(/\n/).some((line) => {
    const statement = line.trim()
    if (statement.startsWith('.')) return !DOT_SHOWS.test(statement)
    if (statement.startsWith('\\')) return !SQL_SHOWS.test(statement)
    return SQL_LEAVES.test(statement)
  })
}
