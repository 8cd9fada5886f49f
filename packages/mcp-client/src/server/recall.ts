import { type Diagnostic, messageOf } from '@ext/kernel'
import type { JsonValue } from '@ext/kernel/contract'
import type { ClockPort } from '@ext/kernel/types'
import type { Listed } from '../connect/list.js'
import { cacheFailed } from '../explain/diagnostics.js'
import type { ToolOwner } from '../registry/tools.js'
import type { CachedTools, ServerId, ToolCache } from '../types.js'

/** For reading what is kept: a server can be started instead. */
const READ_MS = 5000

export interface RecallHost {
  readonly clock: ClockPort
  readonly toolCache?: ToolCache | undefined
  readonly toolCacheMaxAgeMs: number
  readonly id: ServerId
  owner(): ToolOwner
  /** What is started or reached; holds secrets. */
  endpointKey(): string
  changed(): void
}

/** What the server says of itself besides its tools. */
interface Introduced {
  readonly instructions: string | undefined
  readonly resources: boolean
}

/** What is known of the tools of a server from the last time that it was connected. */
export class Recall {
  readonly #host: RecallHost
  #problem: Diagnostic | undefined
  /** One after the other, so that the newest stays. */
  #writing: Promise<void> = Promise.resolve()

  constructor(host: RecallHost) {
    this.#host = host
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.#problem ? [this.#problem] : []
  }

  /** Resolves once all that there is to keep is kept. Never rejects. */
  get written(): Promise<void> {
    return this.#writing
  }

  /** `undefined` for what was never seen, is too old, or belongs to another server. Never rejects. */
  async read(): Promise<CachedTools | undefined> {
    const { clock, toolCache, toolCacheMaxAgeMs, id, owner, endpointKey } = this.#host
    if (!toolCache) return undefined
    let cancel = () => {}
    const late = new Promise<never>((_resolve, reject) => {
      cancel = clock.after(READ_MS, () => reject(new Error(`it took more than ${READ_MS / 1000} s`)))
    })
    try {
      const [kept, endpoint] = await Promise.all([Promise.race([toolCache.read(id), late]), hash(endpointKey())])
      if (!kept || kept.endpoint !== endpoint) return undefined
      if (!Array.isArray(kept.tools)) throw new Error('what is kept has no list of tools')
      const age = clock.now() - kept.at
      // A time to come is that of another clock, and says nothing about the age.
      return age >= 0 && age <= toolCacheMaxAgeMs ? kept : undefined
    } catch (error) {
      this.#problem = cacheFailed(owner(), 'read', messageOf(error))
      return undefined
    } finally {
      cancel()
    }
  }

  /** Keeps what the server has said just now, in the background. */
  keep({ tools, cut, mirrors }: Listed, { instructions, resources }: Introduced): void {
    const { clock, toolCache, id, owner, endpointKey, changed } = this.#host
    if (!toolCache) return
    const at = clock.now()
    const key = endpointKey()
    this.#writing = this.#writing.then(async () => {
      try {
        await toolCache.write(id, {
          at,
          endpoint: await hash(key),
          // They came as JSON.
          tools: tools as readonly JsonValue[],
          ...(cut === undefined ? {} : { cut }),
          ...(mirrors ? { mirrors } : {}),
          ...(resources ? { resources } : {}),
          ...(instructions === undefined ? {} : { instructions }),
        })
        this.#problem = undefined
      } catch (error) {
        this.#problem = cacheFailed(owner(), 'kept', messageOf(error))
        changed()
      }
    })
  }
}

/** So that no secret gets to where definitions are kept. */
async function hash(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
