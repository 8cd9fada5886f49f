import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Endpoint } from '../../src/compiled.js'
import { connect } from '../../src/connect/connect.js'
import { listTools } from '../../src/connect/list.js'
import type { Greeting, Session } from '../../src/connect/session.js'
import { call, faultOf, hostOf, never, remoteOf, textOf } from './ground.js'

const programOf = (name: string) =>
  fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`))

const launch = (name: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Endpoint => ({
  kind: 'stdio',
  command: { file: process.execPath, args: [programOf(name), ...args] },
  cwd: process.cwd(),
  env,
  protocol: '2025',
})

const ask = async (session: Session, tool: string, input: Parameters<Session['call']>[1] = {}) =>
  session.call(tool, input, { signal: never })

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ext-mcp-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** What `everything` does the same over every transport. */
function everything(greeting: () => Greeting, session: () => Session): void {
  test('greets, lists and answers', async () => {
    expect(greeting()).toMatchObject({
      name: 'mcp-servers/everything',
      protocolVersion: '2025-11-25',
      capabilities: { tools: true, toolsChange: true },
    })
    expect(greeting().instructions).toContain('Everything Server')
    expect((await listTools(session(), never)).tools.length).toBeGreaterThanOrEqual(13)
    expect(await call(session(), { message: 'hi' })).toBe('Echo: hi')
    expect(await ask(session(), 'get-tiny-image')).toMatchObject({
      content: [{ type: 'text' }, { type: 'image', mimeType: 'image/png' }, { type: 'text' }],
    })
    await session().ping(never)
  })

  test('reports progress, and stops when it is cancelled', async () => {
    const work = 'trigger-long-running-operation'
    const heard: number[] = []
    const onProgress = ({ progress }: { readonly progress: number }) => heard.push(progress)
    const done = await session().call(work, { duration: 0.4, steps: 4 }, { signal: never, onProgress })
    expect(textOf(done)).toContain('Long running operation completed')
    expect(heard).toEqual([1, 2, 3, 4])

    const controller = new AbortController()
    const long = session().call(
      work,
      { duration: 30, steps: 300 },
      { signal: controller.signal, onProgress: () => controller.abort() },
    )
    expect(await faultOf(long)).toMatchObject({ effect: 'unknown' })
    expect(await call(session(), { message: 'still here' })).toBe('Echo: still here')
  })
}

describe('everything over stdio', () => {
  let session: Session
  let greeting: Greeting
  beforeAll(async () => {
    session = connect(launch('everything', ['stdio'], { DECLARED: 'yes' }), hostOf())
    greeting = await session.open(never)
  })
  afterAll(() => session.close())

  everything(
    () => greeting,
    () => session,
  )

  test('has the environment that it was given', async () => {
    const env = JSON.parse(textOf(await ask(session, 'get-env'))) as Record<string, string>
    expect(env['DECLARED']).toBe('yes')
    expect(env['HOME']).toBeUndefined()
  })
})

describe('everything over Streamable HTTP', () => {
  let server: ChildProcess
  let endpoint: Endpoint
  let session: Session
  let greeting: Greeting
  let port = 0

  const start = async () => {
    server = spawn(process.execPath, [programOf('everything'), 'streamableHttp'], {
      env: { PORT: String(port) },
      stdio: 'ignore',
    })
    for (;;) {
      const made = connect(endpoint, hostOf())
      try {
        return { made, hello: await made.open(AbortSignal.timeout(10_000)) }
      } catch {
        await made.close()
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
  }
  const stop = () =>
    new Promise((resolve) => {
      server.once('exit', resolve)
      server.kill('SIGKILL')
    })

  beforeAll(async () => {
    port = await freePort()
    endpoint = remoteOf(`http://127.0.0.1:${port}/mcp`)
    const { made, hello } = await start()
    session = made
    greeting = hello
  })
  afterAll(async () => {
    await session.close()
    await stop()
  })

  everything(
    () => greeting,
    () => session,
  )

  test('a restart of the server ends the session, and what was asked then was not done', async () => {
    await stop()
    const { made } = await start()
    const faults = await Promise.all([1, 2].map(() => faultOf(call(session, { message: 'hi' }))))
    for (const fault of faults) {
      expect(fault).toMatchObject({ effect: 'none', message: 'no longer knows the session' })
    }
    await session.closed
    await session.close()
    session = made
    expect(await call(session, { message: 'again' })).toBe('Echo: again')
  })
})

test('filesystem over stdio', async () => {
  await writeFile(join(folder, 'notes.txt'), 'Buy cheese. 🧀')
  const session = connect(launch('filesystem', [folder]), hostOf())
  try {
    await session.open(never)
    expect((await listTools(session, never)).tools).toHaveLength(14)
    const read = await ask(session, 'read_text_file', { path: join(folder, 'notes.txt') })
    expect(textOf(read)).toBe('Buy cheese. 🧀')
    expect(await ask(session, 'read_text_file', { path: '/etc/passwd' })).toMatchObject({ isError: true })
  } finally {
    await session.close()
  }
})

test('memory over stdio', async () => {
  const session = connect(launch('memory', [], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }), hostOf())
  try {
    await session.open(never)
    expect((await listTools(session, never)).tools).toHaveLength(9)
    const entities = [{ name: 'cheese', entityType: 'food', observations: ['is bought'] }]
    await ask(session, 'create_entities', { entities })
    expect(await ask(session, 'read_graph')).toMatchObject({ structuredContent: { entities, relations: [] } })
  } finally {
    await session.close()
  }
})

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
