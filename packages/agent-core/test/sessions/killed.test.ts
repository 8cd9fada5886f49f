import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { settleAll } from '@ext/kernel'
import type { ToolMessageResult } from '@ext/kernel/contract'
import { expect, it } from 'vitest'
import { messagesProblem } from '../../src/messages.js'
import { scriptedModel } from '../../src/scripted/index.js'
import { echoTool, setUp } from '../kit.js'
import { store, temporaryFolder } from './kit.js'

const PROCESSES = 20
/** In each of them, side by side: starting a process takes longer than all that is looked at here. */
const SESSIONS = 5
const MOMENTS = PROCESSES * SESSIONS
/** Where in them the process is killed is left to chance: so many lines later, and a little more. */
const MOST_LINES = 150
const MORE_MS = 8
const CALLS = 2

const file = fileURLToPath(new URL('../fixtures/killed-session.mjs', import.meta.url))

/** Three turns with two calls each and a last word, over and over. Every call says another text. */
const script = {
  turns: Array.from({ length: 800 }, (_, turn) =>
    turn % 4 === 3
      ? { say: 'done' }
      : { say: 'I write', calls: [1, 2].map((each) => ({ tool: 'write', input: { text: `${turn}.${each}` } })) },
  ),
}

interface Killed {
  readonly folder: string
  readonly id: string
  /** Texts that have been written, by the process itself. */
  readonly effects: string
  /** Results that it had told of. */
  readonly told: number
}

/** Its sessions as a killed process leaves them. */
async function killedSessions(root: string, index: number, scriptFile: string): Promise<readonly Killed[]> {
  const folder = join(root, String(index))
  const effects = join(root, `${index}.effects`)
  const args = [file, folder, effects, scriptFile, String(SESSIONS)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = SESSIONS + Math.floor(Math.random() * MOST_LINES)
  let said = ''
  await new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.split('session_start').length > SESSIONS && said.split('\n').length > lines) resolve()
    })
  })
  await setTimeout(Math.random() * MORE_MS)
  child.kill('SIGKILL')
  await once(child, 'close')
  return Array.from({ length: SESSIONS }, (_, each) => {
    const id = `s${each}`
    const told = said.split('\n').filter((line) => line === `${id} tool_result`).length
    return { folder, id, effects: `${effects}.${id}`, told }
  })
}

const linesOf = (path: string) =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : []

const textOf = ({ content }: ToolMessageResult) => content.map((block) => ('text' in block ? block.text : '')).join()

/** Takes it up, looks at everything, and lets it come to its end. */
async function expectWhole({
  folder,
  id,
  effects,
  told,
}: Killed): Promise<{ readonly interrupted: number; readonly turns: number }> {
  const kept = store(folder)
  const again: string[] = []
  const write = echoTool('write', {
    run: async ({ text }) => {
      again.push(String(text))
      return { content: [{ type: 'text', text: `wrote ${text}` }], isError: false }
    },
  })
  const { agent } = await setUp({ model: scriptedModel(script), tools: [write], store: kept })
  const session = await agent.resume(id)
  const before = session.messages
  const resultsBefore = before.flatMap((message) => (message.role === 'tool' ? message.results : []))
  // Of what it had told of at most the newest turn is not there: it tells a little before it writes.
  expect(resultsBefore.length).toBeGreaterThanOrEqual(told - CALLS)

  const run = session.isUnfinished ? session.continue() : session.run('go on')
  expect((await run.result).reason).toBe('done')
  const { messages } = session
  expect(messagesProblem([...messages, { role: 'user', content: [] }])).toBeUndefined()
  expect(messages.slice(0, before.length)).toEqual(before)

  // Every effect is a call of the conversation that has said so or may have taken effect, and none happened twice.
  const written = linesOf(effects)
  expect(new Set([...written, ...again]).size).toBe(written.length + again.length)
  const calls = new Map(
    messages.flatMap((message) =>
      message.role === 'assistant' ? message.calls.map(({ id, input }) => [id, input['text']] as const) : [],
    ),
  )
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'tool' ? message.results.map((each) => [calls.get(each.callId), textOf(each)] as const) : [],
    ),
  )
  for (const text of written) expect(results.get(text)).toMatch(/^wrote |^Interrupted: /)
  for (const [text, result] of results) {
    if (result.startsWith('wrote ')) expect([...written, ...again]).toContain(text)
  }
  await agent.close()
  // Nothing lies about, and what was written then can be read again.
  const [project = ''] = readdirSync(folder)
  expect(readdirSync(join(folder, project)).filter((name) => name.startsWith(`${id}.`))).toEqual([`${id}.jsonl`])
  expect((await kept.read(id)).diagnostics).toEqual([])
  const interrupted = [...results.values()].filter((text) => text.startsWith('Interrupted')).length
  return { interrupted, turns: session.totals.turns }
}

it(`${MOMENTS} sessions whose processes are killed at any moment are resumed, and nothing is lost or done twice`, async () => {
  const root = temporaryFolder()
  const scriptFile = join(root, 'script.json')
  writeFileSync(scriptFile, JSON.stringify(script))
  const processes = Array.from({ length: PROCESSES }, (_, index) => index)
  const killed = await settleAll(processes, (index) => killedSessions(root, index, scriptFile), { limit: 4 })
  const sessions = killed.flatMap((each) => (each.status === 'done' ? each.value : []))
  expect(sessions).toHaveLength(MOMENTS)
  const whole = await Promise.all(sessions.map(expectWhole))
  // In the middle of calls, and between them.
  const interrupted = whole.filter((each) => each.interrupted > 0).length
  expect(interrupted).toBeGreaterThan(MOMENTS / 10)
  expect(interrupted).toBeLessThan(MOMENTS)
  expect(new Set(whole.map(({ turns }) => turns)).size).toBeGreaterThan(3)
}, 120_000)
