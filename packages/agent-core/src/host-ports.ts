import { ExtError, messageOf } from '@ext/kernel'
import type { SessionRef } from '@ext/kernel/contract'
import type { ClockPort } from '@ext/kernel/types'
import type { AgentContext } from './run-context.js'
import { whenRejected } from './signals.js'
import type { AgentOptions, ExtensionSession, GateSession, InterceptorSession, Model } from './types.js'

/** Longest time that a timer of the machine can wait for. */
const MOST_MS = 2 ** 31 - 1

/**
 * The clock of the host, which may fail: no run may hang or break off for that. As long as it does, time goes on by the clock
 * of the machine, from where it was.
 * @param failed hears why, each time
 */
export function steadyClock(clock: ClockPort, failed: (problem: string) => void): ClockPort {
  let last: number | undefined
  /** Where both clocks stood when the host's failed. */
  let since: { readonly host: number; readonly machine: number } | undefined
  const complain = (error: unknown) =>
    failed(`\`ports.clock\` failed, so that of the machine is used: ${messageOf(error)}`)
  return {
    now() {
      try {
        const now = clock.now()
        if (Number.isFinite(now)) {
          since = undefined
          last = now
          return now
        }
        whenRejected(now, () => {})
        complain('its `now` gave no number')
      } catch (error) {
        complain(error)
      }
      const machine = Date.now()
      since ??= { host: last ?? machine, machine }
      return since.host + machine - since.machine
    },
    after(ms, fn, options) {
      const cancelWith = (cancel: () => void) => () => {
        try {
          cancel()
        } catch (error) {
          complain(error)
        }
      }
      try {
        const cancel = clock.after(ms, fn, options)
        if (typeof cancel === 'function') return cancelWith(cancel)
        whenRejected(cancel, () => {})
        complain('its `after` gave nothing that cancels')
        return () => {}
      } catch (error) {
        complain(error)
      }
      const timer: unknown = setTimeout(fn, Math.min(ms, MOST_MS))
      if (options?.background) (timer as { unref?(): void }).unref?.()
      return () => clearTimeout(timer as Parameters<typeof clearTimeout>[0])
    },
  }
}

/** What makes ids, so that one that fails is named. */
export function namedIds(ids: () => string): () => string {
  return () => {
    let id: unknown
    try {
      id = ids()
    } catch (error) {
      throw new ExtError('agent-core.ids', `\`ids\` failed: ${messageOf(error)}`, { cause: error })
    }
    if (typeof id === 'string') return id
    whenRejected(id, () => {})
    throw new ExtError('agent-core.ids', '`ids` gave no text.')
  }
}

/** What a name of a model means to the host. */
export interface NamedModel {
  readonly model?: Model
  /** Why `models` could not say, as a part of a sentence. */
  readonly problem?: string
}

export function namedModels(models: AgentOptions['models']): (name: string) => NamedModel {
  return (name) => {
    try {
      const model = models?.(name)
      if (model === undefined) return {}
      if (typeof model?.stream === 'function') return { model }
      whenRejected(model, () => {})
      return { problem: '`models` gave what is no model' }
    } catch (error) {
      return { problem: `\`models\` failed: ${messageOf(error)}` }
    }
  }
}

/** Says why a wish for a model does not come true. */
export function unknownModel(who: string, name: string, { problem }: NamedModel, used: Pick<Model, 'id'>): string {
  const why = problem === undefined ? '' : ` (${problem})`
  return `${who} wants the model ${name}, which is not known${why}; ${used.id} is used.`
}

/** Where the store keeps a session; `undefined` where it is in no file, or does not say. */
export function placeOf(
  { store, troubles }: Pick<AgentContext, 'store' | 'troubles'>,
  id: string,
  cwd: string,
): string | undefined {
  try {
    return store?.place?.(id, cwd)
  } catch (error) {
    troubles.add(`\`store.place\` failed: ${messageOf(error)}`)
    return undefined
  }
}

/**
 * What hooks and gate see of a session. Throws `agent-core.session.port` where the host gives none: what would be missing
 * then may be a guard.
 */
export function viewsOf(
  { interceptor, gate }: Pick<AgentContext, 'interceptor' | 'gate'>,
  ref: SessionRef,
): { readonly interceptor: InterceptorSession | undefined; readonly gate: GateSession } {
  return {
    interceptor: interceptor && whole('interceptor', interceptor.session(ref), 'fire'),
    gate: whole('gate', gate.session(ref), 'authorize'),
  }
}

export function extensionsOf({ extensions }: Pick<AgentContext, 'extensions'>, ref: SessionRef): ExtensionSession[] {
  return extensions.map((extension) => whole('extension', extension.session(ref)))
}

function whole<T extends object>(port: string, session: T, method?: keyof T & string): T {
  const found: unknown = session
  const isObject = typeof found === 'object' && found !== null && !(found instanceof Promise)
  if (isObject && (method === undefined || typeof session[method] === 'function')) return session
  whenRejected(found, () => {})
  const wanted = method === undefined ? 'an object' : `an object with \`${method}\``
  const message = `\`session\` of ${method === undefined ? 'an' : 'the'} ${port} must give ${wanted}, at once; without it no session begins.`
  throw new ExtError('agent-core.session.port', message)
}
