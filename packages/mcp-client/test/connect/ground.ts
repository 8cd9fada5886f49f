import type { ClockPort } from '@ext/kernel'
import { nodeClock, nodeProcess } from '@ext/kernel/node'
import {
  type HostileMode,
  type HttpServer,
  type HttpServerOptions,
  hostileServer,
  serveHostile,
} from '@ext/mcp-client/testing'
import { onTestFinished } from 'vitest'
import type { Launch, Remote } from '../../src/compiled.js'
import { connect } from '../../src/connect/connect.js'
import { Eras } from '../../src/connect/eras.js'
import { type Connect, Fault, type Session, type SessionHost } from '../../src/connect/session.js'

/** A session with a hostile server, and what the server has said aside. */
export interface Ground {
  readonly session: Session
  log(): string
}

export type MakeGround = (mode: HostileMode, args?: readonly string[], host?: Partial<SessionHost>) => Promise<Ground>

export const never: AbortSignal = new AbortController().signal
export const clock: ClockPort = nodeClock()
/** One for all, as it has one watchdog. */
export const processes = nodeProcess()

export const MIB: number = 1024 * 1024
const HURRY = { waitMs: 500, graceMs: 500 }

export function hostOf(more: Partial<SessionHost> = {}): SessionHost {
  return {
    process: processes,
    clock,
    clientInfo: { name: 'test', version: '1.0.0' },
    eras: new Eras(),
    maxMessageBytes: 64 * MIB,
    mask: (text) => text,
    ...more,
  }
}

export function launchOf(
  mode: HostileMode,
  args: readonly string[] = [],
  env: Launch['env'] = {},
  protocol: Launch['protocol'] = '2025',
): Launch {
  const { command, args: argv } = hostileServer(mode, ...args)
  return { kind: 'stdio', command: { file: command, args: argv }, cwd: process.cwd(), env, protocol }
}

export function remoteOf(url: string, more: Partial<Remote> = {}): Remote {
  return { kind: 'http', url, headers: {}, form: 'http', listen: 'auto', protocol: '2025', ...more }
}

/** A session that is closed when the test ends. */
export function sessionWith(
  endpoint: Launch | Remote,
  host: Partial<SessionHost> = {},
  through: Connect = connect,
): Session {
  const session = through(endpoint, hostOf(host))
  onTestFinished(() => session.close(HURRY))
  return session
}

/** A server on the loopback that is closed when the test ends. */
export async function served(mode: HostileMode, options: HttpServerOptions = {}): Promise<HttpServer> {
  const server = await serveHostile(mode, options)
  onTestFinished(() => server.close())
  return server
}

export function overStdio(through: Connect, protocol: Launch['protocol'] = '2025'): MakeGround {
  return async (mode, args, host) => {
    const session = sessionWith(launchOf(mode, args, {}, protocol), host, through)
    return { session, log: () => session.seen.stderrTail }
  }
}

export function overHttp(through: Connect, options: HttpServerOptions, remote: Partial<Remote> = {}): MakeGround {
  return async (mode, args = [], host) => {
    const server = await served(mode, { ...options, args })
    return { session: sessionWith(remoteOf(server.url, remote), host, through), log: () => server.log.join('\n') }
  }
}

export function textOf(result: unknown): string {
  const { content } = result as { readonly content: readonly { readonly text?: string }[] }
  return content.map(({ text }) => text).join('\n')
}

export async function call(
  session: Session,
  input: Parameters<Session['call']>[1] = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<string> {
  return textOf(await session.call('echo', input, { signal }))
}

/** What a request died of. */
export async function faultOf(work: Promise<unknown>): Promise<Fault> {
  const thrown = await work.then(
    (value) => new Error(`it did not fail, but gave ${JSON.stringify(value)?.slice(0, 100)}`),
    (error: unknown) => error,
  )
  if (thrown instanceof Fault) return thrown
  throw thrown
}
