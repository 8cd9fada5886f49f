import { createReloader, definePipeline, ExtError, type Pipeline } from '@ext/kernel'
import type { EventResult, LifecycleEvent, LifecyclePayloads, SessionRef } from '@ext/kernel/contract'
import { type CompileContext, type CompiledHook, compileHook } from './compile.js'
import { type HookEntry, hookName } from './config/entry.js'
import { claudeReader, extReader } from './config/read.js'
import { validateHook } from './config/validate.js'
import { indexListeners } from './match/listeners.js'
import { dispatch } from './run/dispatch.js'
import { OnceMarks } from './run/once.js'
import { completePayload } from './run/payload.js'
import { Running } from './run/running.js'
import type { FireOptions, HookSession, Hooks, HooksOptions } from './types.js'

const pipeline: Pipeline<HookEntry, CompiledHook, CompileContext> = definePipeline({
  axis: 'hooks',
  readers: [extReader, claudeReader],
  validate: validateHook,
  identity: (entry) => hookName(entry.value),
  merge: 'append',
  // Every hook runs a program.
  needsConsent: () => true,
  compile: compileHook,
})

/** What `createHooks` does. A module of its own, so that importing the package loads nothing heavy. */
export async function openHooks(options: HooksOptions): Promise<Hooks> {
  const { root, ports } = options
  const reloader = await createReloader({
    pipeline,
    sources: options.layers,
    context: () => ({ root, ports, tools: options.tools ?? {}, knownTools: options.knownTools?.() }),
    host: { files: ports.files, ...(options.approved ? { approved: options.approved } : {}) },
  })
  const { store } = reloader
  let index = indexListeners(store.current)
  store.subscribe((next) => {
    index = indexListeners(next)
  })
  const running = new Running()

  function session(ref: SessionRef): HookSession {
    const marks = new OnceMarks()
    return {
      fire<E extends LifecycleEvent>(
        event: E,
        payload: () => LifecyclePayloads[E],
        { signal }: FireOptions = {},
      ): undefined | Promise<EventResult> {
        running.throwIfClosed()
        const listeners = index.get(event)
        if (!listeners) return undefined
        const own = payload()
        const matched = marks.claim(listeners.matching(own, ref.cwd))
        if (matched.length === 0) return undefined
        const sent = completePayload(event, own, ref, ports.clock.now())
        return running.start(
          (ending) =>
            dispatch({ session: ref, payload: sent, matched, listeners, marks, signal: ending }, { root, ports }),
          signal,
        )
      },
      reset: () => marks.clear(),
    }
  }

  return {
    session,
    get snapshot() {
      return store.current
    },
    get diagnostics() {
      return store.current.diagnostics
    },
    replace: (layers) => reloader.reload(layers),
    close() {
      reloader.close()
      return running.close(new ExtError('hooks.closed', 'The hooks were closed.'))
    },
  }
}
