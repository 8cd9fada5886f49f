/**
 * For scripts that are hooks (`@ext/hooks/author`): reads the event, calls what is written for it, and prints the reply in
 * the right form. For Node, and anything that has `process` like it.
 * @module
 */
import { answerEvent, type ScriptHandlers } from './answer.js'

export type { HookReply } from '../hook-reply.js'
export type { Replies } from '../replies.js'
export { answerEvent, type ScriptEnd, type ScriptHandler, type ScriptHandlers } from './answer.js'

/**
 * Answers the event on stdin and lets the script end by itself. A throw, no event, or one that nothing is written for, is
 * exit code 1 with a word on stderr: a failure of the hook, which blocks only where its rule says so.
 */
export async function runHook(handlers: ScriptHandlers): Promise<void> {
  const { exitCode, stdout, stderr } = await answerEvent(await readStdin(), handlers)
  process.exitCode = exitCode
  if (stdout !== undefined) process.stdout.write(stdout)
  if (stderr !== undefined) process.stderr.write(stderr)
}

async function readStdin(): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks).toString('utf8')
}
