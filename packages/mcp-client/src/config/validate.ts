import {
  checkSchema,
  createReporter,
  type Diagnostic,
  isMap,
  type Located,
  type Outcome,
  parsePointer,
} from '@ext/kernel'
import { parseDuration } from '@ext/kernel/duration'
import { diagnosticCodes } from '../codes.js'
import type { ServerEntry } from '../types.js'
import { validateServer } from './validators.generated.js'

const report = createReporter(diagnosticCodes)

/** Fields that later versions act on. */
const LATER = new Set([
  'auth',
  'expandUrl',
  'headers',
  'inheritEnv',
  'keepAlive',
  'lazy',
  'limits',
  'merge',
  'protocol',
  'reconnect',
  'url',
])

/** Fields that later versions act on and that allow less: without them the server could do more than was written. */
const RESTRICTING = new Set(['capabilities', 'disabled', 'required', 'sandbox', 'tools'])

/** Means something else in `.mcp.json`, or nothing: a foreign file can't raise trust by a word that it did not mean. */
const NOT_IN_CLAUDE = new Set(['timeout', 'trust'])

const REMOTE = new Set(['http', 'sse', 'streamable-http', 'streamableHttp', 'ws'])

/** An entry that passed the schema. */
interface Written {
  readonly command?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly enabled?: boolean
  readonly trust?: boolean
  readonly timeout?: { readonly connect?: string; readonly call?: string }
}

/** Says whether an entry of `mcpServers` is well formed. */
export function validate(input: Located<unknown>): Outcome<ServerEntry> {
  const name = parsePointer(input.pointer).at(-1) ?? ''
  const details = { entry: input.id, pointer: input.pointer }
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    const message = `The server name ${JSON.stringify(name)} can't become part of a tool's name.`
    const hint = 'Use 1 to 64 letters, digits, _ and -.'
    return { diagnostics: [report.error('mcp.name.invalid', input.at('', 'key'), message, { ...details, hint })] }
  }
  if (isMap(input.value) && isRemote(input.value)) {
    const place = input.at('type' in input.value ? '/type' : '/url')
    const message = `\`${name}\` is a server over HTTP; this version speaks stdio only.`
    const hint = 'Use the stdio form of this server if it has one; remove the entry otherwise.'
    return { diagnostics: [report.error('mcp.transport.unsupported', place, message, { ...details, hint })] }
  }

  const { known, diagnostics } = setAside(input)
  const checked = checkSchema<Written>(validateServer, known)
  diagnostics.push(...checked.diagnostics)
  const written = checked.value
  if (!written) return { diagnostics }

  const duration = (key: 'connect' | 'call') => {
    const text = written.timeout?.[key]
    if (text === undefined) return undefined
    const { ms, problem } = parseDuration(text)
    if (problem !== undefined) {
      const message = `\`timeout.${key}\` is ${JSON.stringify(text)}: ${problem}.`
      const pointer = `${input.pointer}/timeout/${key}`
      const hint = 'Write a number with a unit, such as 500ms, 30s, 5m or 1h30m.'
      const place = input.at(`/timeout/${key}`)
      diagnostics.push(report.error('mcp.timeout.invalid', place, message, { ...details, pointer, hint }))
    }
    return ms
  }
  const connectMs = duration('connect')
  const callMs = duration('call')
  if (diagnostics.some((each) => each.severity === 'error')) return { diagnostics }
  return {
    value: {
      name,
      ...(written.command === undefined ? {} : { command: written.command }),
      args: written.args ?? [],
      env: written.env ?? {},
      ...(written.cwd === undefined ? {} : { cwd: written.cwd }),
      enabled: written.enabled ?? true,
      trust: written.trust ?? false,
      ...(connectMs === undefined ? {} : { connectMs }),
      ...(callMs === undefined ? {} : { callMs }),
    },
    diagnostics,
  }
}

function isRemote(value: Readonly<Record<string, unknown>>): boolean {
  const { type, url, command } = value
  return typeof type === 'string' ? REMOTE.has(type) : type === undefined && url !== undefined && command === undefined
}

/** Takes the fields out that this version does not act on, and says so. */
function setAside(input: Located<unknown>): { known: Located<unknown>; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = []
  if (!isMap(input.value)) return { known: input, diagnostics }
  const claude = input.source.dialect === 'claude-mcp'
  const kept = Object.entries(input.value).filter(([key, value]) => {
    if (key === 'disabled' && typeof value === 'boolean') {
      diagnostics.push(disabled(input))
      return false
    }
    const restricts = RESTRICTING.has(key)
    if (!restricts && !LATER.has(key) && !(claude && NOT_IN_CLAUDE.has(key))) return true
    const place = input.at(`/${key}`, 'key')
    const details = { entry: input.id, pointer: `${input.pointer}/${key}` }
    diagnostics.push(
      restricts
        ? report.error('mcp.field.refused', place, `\`${key}\` restricts the server, and this version can't do that.`, {
            ...details,
            hint: `The server stays off, since it could do more than was written. Remove \`${key}\` to run it without.`,
          })
        : report.warning('mcp.field.unsupported', place, `\`${key}\` has no effect here in this version.`, {
            ...details,
            hint: `The server is used without it; remove \`${key}\` to silence this.`,
          }),
    )
    return false
  })
  const off = input.value['disabled'] === true ? { enabled: false } : {}
  return { known: { ...input, value: { ...Object.fromEntries(kept), ...off } }, diagnostics }
}

/** Other programs write it. Ignored, it would start what a person has switched off. */
function disabled(input: Located<unknown>): Diagnostic {
  const message = '`disabled` is read as the opposite of `enabled`.'
  const details = {
    entry: input.id,
    pointer: `${input.pointer}/disabled`,
    hint: 'Write `enabled: false` to switch a server off.',
  }
  return report.info('mcp.field.foreign', input.at('/disabled', 'key'), message, details)
}
