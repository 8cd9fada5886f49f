import type { Located } from '@ext/kernel'
import type { Trust, TrustSubject } from '@ext/kernel/trust'
import type { HookEntry } from '../config/entry.js'
import type { SwitchedOff } from '../config/switches.js'
import type { LoadedHook } from '../match/listeners.js'
import type { ActionOutcome } from '../protocol/types.js'
import { type SubjectHost, switchSubject, trustSubject } from './subject.js'

export interface GateOptions {
  readonly trust?: Trust
  approved?(entry: Located<HookEntry>): boolean
  approvedSwitch?(subject: TrustSubject): boolean
}

/** Says which hooks of plugin, project and local files may run: when they are loaded, and again before each start. */
export class Gate {
  readonly #options: GateOptions
  readonly #host: SubjectHost
  /** Those that the host answers for, whatever their scripts hold. */
  readonly #byHost = new Set<string>()

  constructor(options: GateOptions, host: SubjectHost) {
    this.#options = options
    this.#host = host
  }

  /** Asked when a hook is loaded. */
  admits(entry: Located<HookEntry>): boolean {
    this.#byHost.delete(entry.id)
    if (this.#options.approved?.(entry) === true) {
      this.#byHost.add(entry.id)
      return true
    }
    return this.#options.trust?.isApproved(trustSubject(entry, this.#host)) === true
  }

  /** Whether a file of the project may switch off hooks of others. A host that asks in its own way decides about hooks only. */
  admitsSwitches(off: SwitchedOff): boolean {
    const { approved, approvedSwitch, trust } = this.#options
    const subject = switchSubject(off, this.#host.root)
    if (approvedSwitch?.(subject) ?? approved !== undefined) return true
    return trust?.isApproved(subject) === true
  }

  /**
   * Why a hook that was loaded may not start after all: a script has changed since. Synchronous, so that nothing comes
   * between the answer and the start. A guard that blocks when it fails blocks: changing its script must not open the way.
   */
  refusal(loaded: LoadedHook, cwd: string): ActionOutcome | undefined {
    const { isAllowed, onFailure } = loaded.value
    const isApproved = this.#isApproved(loaded, cwd)
    if (isApproved && isAllowed?.(cwd) !== false) return undefined
    const whose = isApproved ? 'listed by the administrator' : 'approved'
    if (onFailure === 'block')
      return { kind: 'failed', cause: 'untrusted', detail: `it is not what was ${whose} any more` }
    return { kind: 'skipped', cause: 'untrusted', notice: `did not run: it is not what was ${whose} any more` }
  }

  #isApproved({ id, value: { subject } }: LoadedHook, cwd: string): boolean {
    if (!subject || this.#byHost.has(id)) return true
    return this.#options.trust?.isApproved(subject(cwd)) === true
  }
}
