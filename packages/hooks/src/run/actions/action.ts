import type { HostPorts } from '@ext/kernel'
import type { EnvPreset } from '@ext/kernel/env'
import type { CompiledHook } from '../../compile.js'
import type { Action } from '../../config/actions.js'
import type { HookHost } from '../../host.js'
import type { ActionResult } from '../../protocol/types.js'
import type { Gate } from '../../trust/gate.js'
import type { Delivery } from '../delivery.js'

/** What actions may touch. */
export interface ActionHost {
  readonly root: string
  readonly ports: HostPorts
  /** What the host can do for hooks. */
  readonly abilities: HookHost
  /** Groups of variables that every command may see. */
  readonly envPresets: readonly EnvPreset[]
  /** Looks at each hook once more before it starts. */
  readonly gate: Pick<Gate, 'refusal'>
}

/** A hook with its name and the kind of action that it has. */
export type HookOf<A extends Action> = CompiledHook & { readonly name: string; readonly action: A }

/** Runs one kind of action to its end. Within the hook's time-out, and ended by `delivery.signal`. */
export type ActionRunner<A extends Action> = (
  hook: HookOf<A>,
  delivery: Delivery,
  host: ActionHost,
) => Promise<ActionResult>
