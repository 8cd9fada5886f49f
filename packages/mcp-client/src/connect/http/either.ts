import { isMap } from '@ext/kernel'
import type { Remote } from '../../compiled.js'
import type { Carrier, Message, Receiver } from '../carrier.js'
import type { Patience, Seen, SessionHost } from '../session.js'
import { isStateless, PROTOCOL_VERSION } from '../stateless/meta.js'
import { HttpCarrier } from './http.js'
import { StatelessCarrier } from './stateless.js'

/** Streamable HTTP to a server of which it is not known yet what it speaks: each message travels as its own kind does. */
export class EitherCarrier implements Carrier {
  readonly closed: Promise<void>
  readonly #stateless: StatelessCarrier
  readonly #sessions: HttpCarrier
  #agreed: Carrier | undefined

  constructor(remote: Remote, host: SessionHost) {
    this.#stateless = new StatelessCarrier(remote, host)
    this.#sessions = new HttpCarrier(remote, host)
    // Only one of the two can be over by itself: where there is a session, it can be lost.
    this.closed = Promise.race([this.#stateless.closed, this.#sessions.closed])
  }

  get seen(): Seen {
    return (this.#agreed ?? this.#sessions).seen
  }

  async start(receiver: Receiver): Promise<void> {
    await Promise.all([this.#stateless.start(receiver), this.#sessions.start(receiver)])
  }

  agreed(protocolVersion: string): void {
    this.#agreed = isStateless(protocolVersion) ? this.#stateless : this.#sessions
    this.#agreed.agreed?.(protocolVersion)
  }

  send(message: Message, headers?: Readonly<Record<string, string>>): Promise<void> {
    const carrier = this.#agreed ?? (saysItsVersion(message) ? this.#stateless : this.#sessions)
    return carrier.send(message, headers)
  }

  async close(patience?: Patience): Promise<void> {
    await Promise.all([this.#stateless.close(patience), this.#sessions.close(patience)])
  }
}

function saysItsVersion({ params }: Message): boolean {
  const meta = isMap(params) ? params['_meta'] : undefined
  return isMap(meta) && PROTOCOL_VERSION in meta
}
