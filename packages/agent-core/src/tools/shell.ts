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
  /** Kept of each output stream, half of it from its beginning and half from its end. Default 64 KiB. */
  readonly maxOutputBytes?: number
}

/**
 * Runs command lines with `sh -c`, without start-up files and without input, each one in the session's folder: a `cd` ends
 * with its command, so the gate knows where every path starts. Whatever the command does is a result, never a throw.
 */
export function shellTool({
  process,
  env,
  name = 'Bash',
  timeoutMs = 100_000,
  maxOutputBytes = 64 * 1024,
}: ShellToolOptions): Tool {
  const half = Math.ceil(maxOutputBytes / 2)
  return defineTool({
    name,
    title: 'Run a command',
    description:
      'Runs a command line with `sh -c` in the working folder; a `cd` holds for this command only. There is no input and no terminal. Gives standard output, standard error and exit code; of a long output the beginning and the end. What it starts in the background ends with it.',
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
        maxOutputBytes: half,
        maxTailBytes: half,
        signal,
      })
      return { content: [textBlock(report(result, limit, half))], isError: result.exitCode !== 0 }
    },
  })
}

function report(result: ProcessResult, timeoutMs: number, half: number): string {
  const { stdout, stdoutTail, stdoutBytes, stderr, stderrTail, stderrBytes } = result
  const errors = whole(stderr, stderrTail, stderrBytes, half)
  return [
    whole(stdout, stdoutTail, stdoutBytes, half),
    errors && `[standard error]\n${errors}`,
    `[${howItEnded(result, timeoutMs)}]`,
  ]
    .map((part) => part.replace(/\n$/, ''))
    .filter((part) => part !== '')
    .join('\n')
}

/** Beginning and end of a stream, and how much is missing between them. */
function whole(head: string, tail: string | undefined, received: number, half: number): string {
  // Not every port keeps an end.
  const left = received - (tail === undefined ? half : 2 * half)
  if (left <= 0) return head + (tail ?? '')
  return `${head.replace(/\n$/, '')}\n[${left} of ${received} bytes are left out here]\n${tail ?? ''}`
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
