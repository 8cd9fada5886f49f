import { isMap, joinPointer, type Located, parsePointer } from '@ext/kernel'
import { dotted, type Notes } from './notes.js'

/** Words of other programs for fields of ours, with the pointer of the field. */
const SAME: Readonly<Record<string, string>> = {
  serverUrl: '/url',
  httpUrl: '/url',
  transport: '/type',
  transportType: '/type',
  environment: '/env',
  workingDirectory: '/cwd',
  http_headers: '/headers',
  ...Object.fromEntries(
    ['includeTools', 'enabledTools', 'enabled_tools', 'allowedTools'].map((word) => [word, '/tools/allow']),
  ),
  ...Object.fromEntries(
    ['excludeTools', 'disabledTools', 'disabled_tools', 'blockedTools'].map((word) => [word, '/tools/deny']),
  ),
}

/** Words that are understood besides the names of fields. */
export const OTHER_WORDS: readonly string[] = [...Object.keys(SAME), 'disabled', 'isActive', 'alwaysLoad']

/** Fields that allow less and that nothing here acts on: without them the server could do more than was written. */
const RESTRICTING: readonly string[] = ['capabilities', 'sandbox', 'sandboxEnabled']

/** Fields that nothing here acts on, with what happens instead and what to write. */
const NO_EFFECT: Readonly<Record<string, readonly [instead: string, hint: string]>> = {
  auth: ['nobody is signed in', 'Write a token into `headers`: `Authorization: "Bearer ${TOKEN}"`.'],
  oauth: ['nobody is signed in', 'Write a token into `headers`: `Authorization: "Bearer ${TOKEN}"`.'],
  headersHelper: [
    'no program is asked for headers',
    'Write them into `headers`; `${NAME}` takes them from a variable.',
  ],
  merge: ['the nearest entry replaces the others as a whole', 'Remove it.'],
  envFile: ['no file of variables is read', 'Write the variables into `env`; `${NAME}` takes them from the host.'],
  alwaysAllow: ['its tools are asked about like others', 'Write `allow` rules into `permissions`.'],
  autoApprove: ['its tools are asked about like others', 'Write `allow` rules into `permissions`.'],
}

/** What people write for people. */
const FOR_PEOPLE: readonly string[] = [
  ...['note', 'notes', 'comment', 'comments', '_comment', '_note', '$comment', '//', 'description', '_description'],
  ...['name', 'title', 'icon', 'iconPath', 'version', 'homepage', 'gallery', 'tags'],
]

/**
 * Says in our words what an entry says in those of other programs, and takes out what nothing here acts on. Whatever is
 * not simply ours is noted.
 */
export function adapt(input: Located<unknown>, notes: Notes): Located<unknown> {
  if (!isMap(input.value)) return input
  const claude = input.source.dialect === 'claude-mcp'
  const kept: (readonly [key: string, value: unknown])[] = []
  const translated: (readonly [word: string, pointer: string, value: unknown])[] = []
  for (const [key, value] of Object.entries(input.value)) {
    const word = joinPointer('', key)
    const same = Object.hasOwn(SAME, key) ? SAME[key] : undefined
    if (same !== undefined) {
      translated.push([word, same, value])
    } else if (key === 'disabled' || key === 'isActive') {
      if (typeof value !== 'boolean') refuse(key, word, notes)
      else translated.push([word, '/enabled', key === 'disabled' ? !value : value])
    } else if (key === 'alwaysLoad' && typeof value === 'boolean') {
      if (value) translated.push([word, '/tools/always', ['*']])
    } else if (key === 'tools' && Array.isArray(value)) {
      translated.push([word, '/tools/allow', value])
    } else if (key === 'timeout' && typeof value === 'number') {
      const timeout = claude ? milliseconds(value, word, notes) : refuseNumber(value, word, notes)
      if (timeout !== undefined) translated.push([word, '/timeout/call', timeout])
    } else if (RESTRICTING.includes(key)) {
      refuse(key, word, notes)
    } else if (!isWithoutEffect(key, value, claude, word, notes)) {
      kept.push([key, value])
    }
  }
  // Never by assignment: a key may be `__proto__`.
  const own: Record<string, unknown> = Object.fromEntries(kept)
  const places = new Map<string, string>()
  for (const [word, pointer, value] of translated) {
    if (put(own, pointer, value)) {
      places.set(pointer, word)
      const message = `${dotted(word)} is read as ${dotted(pointer)}.`
      notes.info(
        'mcp.field.foreign',
        word,
        message,
        `Write ${dotted(pointer)} here; other programs may want theirs.`,
        'key',
      )
    } else {
      const message = `${dotted(word)} says what ${dotted(pointer)} says as well.`
      notes.error('mcp.field.twice', word, message, 'Keep one of the two.', 'key')
    }
  }
  return { ...input, value: own, at: (pointer = '', part) => input.at(writtenAt(pointer, places), part) }
}

function refuse(key: string, word: string, notes: Notes): void {
  const message = `\`${key}\` restricts the server, and this version can't do that.`
  const hint = `The server stays off, since it could do more than was written. Remove \`${key}\` to run it without.`
  notes.error('mcp.field.refused', word, message, hint, 'key')
}

/** Says so of a field that nothing acts on. One that is false, null or empty asks for nothing. */
function isWithoutEffect(key: string, value: unknown, claude: boolean, word: string, notes: Notes): boolean {
  const asksForNothing = value === false || value === null || (Array.isArray(value) && value.length === 0)
  if (FOR_PEOPLE.includes(key)) {
    notes.info('mcp.field.foreign', word, `\`${key}\` is for people; nothing reads it.`, 'It can stay.', 'key')
    return true
  }
  // In there it means something else: a foreign file can't raise trust by a word that it did not mean.
  const trust = claude && key === 'trust'
  const known = Object.hasOwn(NO_EFFECT, key) ? NO_EFFECT[key] : undefined
  if (!known && !trust) return false
  if (asksForNothing) return true
  const [instead, hint] = known ?? TRUST
  const message = `\`${key}\` has no effect here: ${instead}.`
  notes.warning('mcp.field.unsupported', word, message, hint, 'key')
  return true
}

const TRUST = [
  'what the tools say about themselves is not believed',
  'Configure the server in `.ext/config.yaml` to trust it.',
] as const

/** Programs that count in seconds have the same field; a time limit below a second is more likely one of theirs. */
function milliseconds(value: number, word: string, notes: Notes): string | undefined {
  if (Number.isInteger(value) && value >= 1000) return `${value}ms`
  const message = `\`timeout\` is ${value}, which would be milliseconds for one call; the usual limit is used.`
  const hint = `Write ${value * 1000} if seconds are meant.`
  notes.warning('mcp.timeout.invalid', word, message, hint)
  return undefined
}

function refuseNumber(value: number, word: string, notes: Notes): undefined {
  const message = `\`timeout\` is the number ${value}, and does not say which time or which unit is meant.`
  notes.error('mcp.timeout.invalid', word, message, `Write \`timeout: { call: ${value}ms }\` if one call is meant.`)
}

/** Puts a value where a pointer of one or two steps leads, unless something is there. */
function put(entry: Record<string, unknown>, pointer: string, value: unknown): boolean {
  const [field = '', inner] = parsePointer(pointer)
  if (inner === undefined) {
    // Off is the stricter word, wherever it is said.
    if (field === 'enabled' && typeof entry['enabled'] === 'boolean') {
      entry['enabled'] = entry['enabled'] && value
      return true
    }
    if (entry[field] !== undefined) return false
    entry[field] = value
    return true
  }
  const outer = entry[field] ?? {}
  if (!isMap(outer) || outer[inner] !== undefined) return false
  entry[field] = { ...outer, [inner]: value }
  return true
}

/** Where a part of the entry was written, if that is under another word. */
function writtenAt(pointer: string, places: ReadonlyMap<string, string>): string {
  for (const [ours, word] of places) {
    if (pointer === ours || pointer.startsWith(`${ours}/`)) return word + pointer.slice(ours.length)
  }
  return pointer
}
