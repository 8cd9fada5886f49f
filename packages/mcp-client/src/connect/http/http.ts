import type { Remote } from '../../compiled.js'
import type { Carrier, Message, Receiver } from '../carrier.js'
import type { Patience, Seen, SessionHost } from '../session.js'
import { Refusal } from './faults.js'
import { SseCarrier } from './sse.js'
import { StreamableCarrier } from './streamable.js'

/** Statuses by which MCP 2025-11-25 ("Backwards Compatibility" of its transports) tells an older server. */
const OLDER = [400, 404, 405]

/** Streamable HTTP, or the older form for a server that knows nothing else. */
export class HttpCarrier implements Carrier {
  readonly closed: Promise<void>
  readonly #remote: Remote
  readonly #host: SessionHost
  #carrier: Carrier
  #receiver: Receiver | undefined
  #closing = false
  #over = () => {}

  constructor(remote: Remote, host: SessionHost) {
    this.#remote = remote
    this.#host = host
    this.closed = new Promise((resolve) => {
      this.#over = resolve
    })
    this.#carrier = this.#use(new StreamableCarrier(remote, host))
  }

  get seen(): Seen {
    return this.#carrier.seen
  }

  start(receiver: Receiver): Promise<void> {
    this.#receiver = receiver
    return this.#carrier.start(receiver)
  }

  agreed(protocolVersion: string): void {
    this.#carrier.agreed?.(protocolVersion)
  }

  async send(message: Message): Promise<void> {
    try {
      await this.#carrier.send(message)
    } catch (error) {
      const isOlder = message.method === 'initialize' && error instanceof Refusal && OLDER.includes(error.status)
      if (!isOlder || !this.#receiver || this.#closing) throw error
      const older = new SseCarrier(this.#remote, this.#host)
      this.#carrier = this.#use(older)
      try {
        await older.start(this.#receiver)
      } catch {
        // The first answer says more about a server that knows neither.
        throw error
      }
      await older.send(message)
    }
  }

  close(patience?: Patience): Promise<void> {
    this.#closing = true
    return this.#carrier.close(patience)
  }

  #use(carrier: Carrier): Carrier {
    void carrier.closed.then(() => {
      if (carrier === this.#carrier) this.#over()
    })
    return carrier
  }
}
