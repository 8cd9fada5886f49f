import type { Tool } from '@ext/kernel/contract'
import type { ProcessPort, ProcessResult } from '@ext/kernel/types'
import { textBlock } from '../call/content.js'
import { defineTool } from '../define-tool.js'

export interface ShellToolOptions {
  readonly process: ProcessPort
  /** The whole environment of the commands. See `minimalEnv` of `@ext/kernel/env`. */
  readonly env: Readonly<Record<string, string>>
  /** Default `Bash`, the name in most rules and hooks. */
  readonly name?: string
  /**
   * Longest running time of a command. Default 100,000, less than the agent's `toolTimeoutMs`: a command that is ended
   * here can still show what it printed.
   */
  readonly timeoutMs?: number
}

/** Kept of each output stream. */
const MAX_OUTPUT_BYTES = 1024 * 1024

/** Runs command lines with `sh -c` in the session's folder. Whatever the command does is a result, never a throw. */
export function shellTool({ process, env, name = 'Bash', timeoutMs = 100_000 }: ShellToolOptions): Tool {
  return defineTool({
    name,
    description:
      'Runs a command line with `sh -c` in the working folder. Gives standard output, standard error and exit code.',
    kind: 'exec',
    inputSchema: {
      type: 'object',
      properties: {
        command: { type: 'string', minLength: 1, description: 'The command line.' },
        timeout_ms: {
          type: 'integer',
          minimum: 1,
          maximum: timeoutMs,
          description: `Milliseconds after which it is ended. Default ${timeoutMs}.`,
        },
      },
      required: ['command'],
      additionalProperties: false,
    },
    async run(input, { session, signal }) {
      const limit = input.timeout_ms ?? timeoutMs
      const result = await process.run({
        command: { shell: 'sh', script: input.command },
        cwd: session.cwd,
        env,
        timeoutMs: limit,
        maxOutputBytes: MAX_OUTPUT_BYTES,
        signal,
      })
      return { content: [textBlock(report(result, limit))], isError: result.exitCode !== 0 }
    },
  })
}

function report(result: ProcessResult, timeoutMs: number): string {
  const parts = [
    result.stdout,
    dropped('standard output', result.stdoutBytes),
    result.stderr && `[standard error]\n${result.stderr}`,
    dropped('standard error', result.stderrBytes),
    `[${howItEnded(result, timeoutMs)}]`,
  ]
  return parts
    .map((part) => part.replace(/\n$/, ''))
    .filter((part) => part !== '')
    .join('\n')
}

function dropped(stream: string, receivedBytes: number): string {
  if (receivedBytes <= MAX_OUTPUT_BYTES) return ''
  return `[${stream}: ${receivedBytes} bytes came, the first ${MAX_OUTPUT_BYTES} are shown]`
}

function howItEnded({ outcome, exitCode, signal, message }: ProcessResult, timeoutMs: number): string {
  switch (outcome) {
    case 'ended':
      return exitCode === null ? `ended by ${signal}` : `exit code ${exitCode}`
    case 'timed-out':
      return `ended after ${timeoutMs} ms: it took too long`
    case 'aborted':
      return 'ended: the run was aborted'
    case 'cannot-start':
      return `could not start: ${message}`
  }
}
