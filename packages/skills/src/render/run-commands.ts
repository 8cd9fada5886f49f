import { messageOf } from '@ext/kernel'
import type { JsonObject, RunTerms, SessionRef, ToolTable } from '@ext/kernel/contract'
import type { Command, ProcessResult } from '@ext/kernel/types'
import type { CommandHost, Skill, SkillGateSession } from '../types.js'
import type { Part } from './body.js'
import type { FoundCommand } from './command.js'

const DEFAULT_TIMEOUT_MS = 30_000
/** Kept of each stream: a command that prints more was not meant for a prompt. */
const MAX_OUTPUT_BYTES = 16 * 1024
const MAX_COMMANDS = 20

/** What commands of a body are run with. */
export interface CommandRun {
  readonly host: CommandHost
  readonly gate: SkillGateSession
  readonly ref: SessionRef
  readonly tools: ToolTable
  readonly terms: readonly RunTerms[]
  readonly signal: AbortSignal | undefined
}

/**
 * Puts the output of its commands into a body, one after the other. A command that fails, or that permission refuses, costs
 * itself: in its place stands why. Output is text, and nothing in it is looked at again. Rejects only when `signal` aborts.
 */
export async function runCommands(skill: Skill, parts: readonly Part[], run: CommandRun): Promise<string> {
  const texts: string[] = []
  let count = 0
  for (const part of parts) {
    run.signal?.throwIfAborted()
    if (typeof part === 'string') texts.push(part)
    else if (count++ === MAX_COMMANDS) texts.push(notRun(part, `there are more than ${MAX_COMMANDS} commands`))
    else if (count > MAX_COMMANDS) texts.push(part.written)
    else texts.push(await outputOf(skill, part, run))
  }
  return texts.join('')
}

async function outputOf(skill: Skill, found: FoundCommand, run: CommandRun): Promise<string> {
  const { line, problem } = found
  if (line === undefined) return notRun(found, problem ?? 'it can’t be read')
  const { host, gate, ref, tools, terms, signal } = run
  const { shell } = skill
  if (shell !== 'bash' && shell !== 'sh') return notRun(found, `the skill is written for the shell ${shell}`)
  const field = tools[host.tool.name]?.command ?? 'command'
  const input: JsonObject = { [field]: line }
  try {
    const { behavior, reason, updatedInput } = await gate.authorize(
      { call: { id: `skill:${skill.name}`, name: host.tool.name, input }, tool: host.tool },
      { terms, ...(signal ? { signal } : {}) },
    )
    if (behavior !== 'allow') return notRun(found, reason)
    const script = updatedInput?.input[field] ?? line
    if (typeof script !== 'string') return notRun(found, 'the answer of whoever permitted it names no command')
    const result = await host.process.run({
      command: { shell, script } satisfies Command,
      cwd: ref.cwd,
      env: host.env,
      timeoutMs: host.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      ...(signal ? { signal } : {}),
    })
    signal?.throwIfAborted()
    return textOf(found, result, host.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  } catch (error) {
    signal?.throwIfAborted()
    return notRun(found, messageOf(error))
  }
}

function textOf(found: FoundCommand, result: ProcessResult, timeoutMs: number): string {
  const { outcome, exitCode, signal, stdout, stdoutBytes, message } = result
  if (outcome === 'cannot-start') return notRun(found, message ?? 'it can’t be started')
  const out = stdout.replace(/\n+$/, '') + (stdoutBytes > MAX_OUTPUT_BYTES ? '\n[the rest of the output is cut]' : '')
  if (outcome === 'ended' && exitCode === 0) return out
  const how =
    outcome === 'timed-out'
      ? `took longer than ${timeoutMs} ms`
      : exitCode === null
        ? `was ended by ${signal}`
        : `ended with exit code ${exitCode}`
  const error = result.stderr.trim()
  return `${out === '' ? '' : `${out}\n`}[\`${oneLine(found)}\` ${how}${error === '' ? '' : `: ${error}`}]`
}

function notRun(found: FoundCommand, why: string): string {
  return `[\`${oneLine(found)}\` was not run: ${why.replace(/\.$/, '')}]`
}

function oneLine({ written }: FoundCommand): string {
  return written
    .replace(/^!`|^```![^\n]*\n|`+\s*$/g, '')
    .trim()
    .replace(/\s*\n\s*/g, '; ')
}
