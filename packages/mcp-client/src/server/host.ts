import type { SchemaValidator } from '@ext/kernel/ajv'
import type { ClockPort } from '@ext/kernel/types'
import type { AskingPorts } from '../answer/answers.js'
import type { LogLevel } from '../asked.js'
import type { CompiledServer, Endpoint } from '../compiled.js'
import type { Patience, Session, SessionHost } from '../connect/session.js'
import type { CallFacts, PinsPort, Provider, SpillPort, ToolCache } from '../types.js'
import type { Aborts } from './aborts.js'
import type { Draw } from './span.js'
import type { Usage } from './usage.js'

/** What all servers of a client share. */
export interface ServerHost {
  readonly clock: ClockPort
  readonly aborts: Aborts
  /** Random, from 0 to 1. */
  chance(): number
  connect(endpoint: Endpoint, host: Pick<SessionHost, 'mask' | 'onLog' | 'onNotice' | 'answering'>): Session
  /** Loaded when the first tool or form needs it. */
  validator(): Promise<SchemaValidator>
  readonly pins: PinsPort
  readonly toolCache?: ToolCache | undefined
  readonly toolCacheMaxAgeMs: number
  readonly provider?: Provider | undefined
  readonly usage: Usage
  readonly spill?: SpillPort | undefined
  readonly whenDown: 'hide' | 'mark'
  readonly onLog?: ((server: string, line: string, level?: LogLevel) => void) | undefined
  /** From which level on servers are asked to log over MCP. Absent: they are not asked. */
  readonly logLevel?: LogLevel | undefined
  /** Hears of every call once, when it is over. */
  readonly onCall?: ((facts: CallFacts) => void) | undefined
  /** What servers may ask. */
  readonly asking: AskingPorts
  /** See `roots` of the client. */
  roots(server: CompiledServer): readonly string[] | undefined
  /** Calls a function of the program that only listens; what it throws is reported and goes no further. */
  listen(name: string, listener: () => void): void
  /** Absent: nobody draws spans. */
  readonly draw?: Draw | undefined
  /** How servers are ended that are not wanted any more. */
  readonly patience: Patience
  /** The state or the tools of a server are different now. */
  changed(): void
}
