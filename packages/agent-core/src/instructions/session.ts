import { ExtError, isMap, messageOf } from '@ext/kernel'
import type { InstructionsKind } from '@ext/kernel/contract'
import { fire, sayBlockIgnored, stoppedBy } from '../lifecycle.js'
import type { RunContext, RunEnd } from '../run-context.js'
import { until } from '../signals.js'
import type { LoadedInstructions } from '../types.js'

const WHOSE: Readonly<Record<InstructionsKind, string>> = {
  User: 'the user’s own, for all projects',
  Project: 'of the project',
  Local: 'the user’s own, for this project',
}

/**
 * Loads the instruction files of the session, once: they are a part of the system prompt, which never changes. What can't be
 * read is said, and costs nothing else.
 */
export async function loadInstructions(run: RunContext): Promise<RunEnd | undefined> {
  const { agent, session, signal, durable } = run
  const { instructions } = agent
  if (!instructions) return undefined
  const { files, notices } = await durable.step('instructions:start', async (): Promise<LoadedInstructions> => {
    try {
      return checked(await until(signal, instructions.load(session.ref.cwd, { signal })))
    } catch (error) {
      signal.throwIfAborted()
      return { files: [], notices: [`The instruction files can’t be loaded: ${messageOf(error)}`] }
    }
  })
  for (const text of notices) run.emit('notice', { text })
  session.instructions = files
    .map(({ path, kind, text }) => `Instructions from ${path} (${WHOSE[kind]}):\n\n${text.trim()}`)
    .join('\n\n')
  for (const [index, { path, kind, reason, text }] of files.entries()) {
    run.emit('context', { by: path, place: 'system', text })
    const payload = { file_path: path, memory_type: kind, load_reason: reason }
    const result = await fire(run, 'InstructionsLoaded', () => payload, { signal, place: index })
    sayBlockIgnored(run, result, 'the instructions are loaded already')
    if (result.stop) return stoppedBy(result.stop)
  }
  return undefined
}

/** A source in plain JavaScript can give anything. */
function checked(loaded: LoadedInstructions): LoadedInstructions {
  const { files, notices } = loaded
  const isFile = (file: unknown) => isMap(file) && ['path', 'text'].every((key) => typeof file[key] === 'string')
  const areTexts = Array.isArray(notices) && notices.every((each) => typeof each === 'string')
  if (Array.isArray(files) && files.every(isFile) && areTexts) return loaded
  throw new ExtError('agent-core.instructions.answer', '`instructions.load` gave no `files` and `notices`')
}
