import { resolvePath } from '@ext/kernel/match'
import type { CommandAction } from '../../config/actions.js'
import { commandLine } from '../../config/command-line.js'
import { folderVariables } from '../../config/folders.js'
import { MAX_OUTPUT_BYTES } from '../../protocol/reply.js'
import type { ActionResult } from '../../protocol/types.js'
import type { Delivery } from '../delivery.js'
import { hookEnv } from '../environment.js'
import type { ActionHost, HookOf } from './action.js'

/** Runs a program, or a script in a shell. */
export async function runCommand(
  hook: HookOf<CommandAction>,
  delivery: Delivery,
  host: ActionHost,
): Promise<ActionResult> {
  const { ports, root } = host
  const { cwd: declared } = hook.action
  const cwd = declared === undefined ? delivery.session.cwd : resolvePath(declared, { cwd: root, home: ports.home })
  const run = (folder: string) =>
    ports.process.run({
      command: commandLine(hook.action, folderVariables(hook, root)),
      cwd: folder,
      env: hookEnv(hook, delivery.variables, host),
      stdin: `${delivery.json}\n`,
      timeoutMs: hook.timeoutMs,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      signal: delivery.signal,
    })
  const result = await run(cwd)
  // A session can outlive its working folder. A folder that the rule names is another matter.
  const cwdIsGone = result.outcome === 'cannot-start' && declared === undefined && !(await ports.files.realPath(cwd))
  const process = cwdIsGone ? await run(root) : result
  return { kind: 'ended', process, ms: process.ms }
}
