import type { SchemaValidator } from '@ext/kernel/ajv'
import type { ClockPort } from '@ext/kernel/types'
import type { AskingPorts } from '../answer/answers.js'
import type { LogLevel } from '../asked.js'
import type { CompiledServer, Endpoint } from '../compiled.js'
import type { Patience, Session, SessionHost } from '../connect/session.js'
import type { PinsPort, SpillPort } from '../types.js'

/** What all servers of a client share. */
export interface ServerHost {
  readonly clock: ClockPort
  /** Random, from 0 to 1. */
  chance(): number
  connect(endpoint: Endpoint, host: Pick<SessionHost, 'mask' | 'onLog' | 'onNotice' | 'answering'>): Session
  /** Loaded when the first tool or form needs it. */
  validator(): Promise<SchemaValidator>
  readonly pins: PinsPort
  readonly spill?: SpillPort | undefined
  readonly whenDown: 'hide' | 'mark'
  readonly onLog?: ((server: string, line: string, level?: LogLevel) => void) | undefined
  /** From which level on servers are asked to log over MCP. Absent: they are not asked. */
  readonly logLevel?: LogLevel | undefined
  /** What servers may ask. */
  readonly asking: AskingPorts
  /** See `roots` of the client. */
  roots(server: CompiledServer): readonly string[] | undefined
  /** Calls a function of the program that only listens; what it throws is reported and goes no further. */
  listen(name: string, listener: () => void): void
  /** How servers are ended that are not wanted any more. */
  readonly patience: Patience
  /** The state or the tools of a server are different now. */
  changed(): void
}
