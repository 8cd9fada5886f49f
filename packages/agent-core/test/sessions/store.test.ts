import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../src/types.js'
import { CWD, collect, echoTool, ofType, scripted, setUp } from '../kit.js'
import { eventsIn, header, linesIn, store, temporaryFolder } from './kit.js'

const at = '2026-01-01T00:00:01.000Z'
const message = (text: string): SessionEvent => ({
  type: 'message',
  at,
  prompt: true,
  message: { role: 'user', content: [{ type: 'text', text }] },
})

/** A log of two prompts that is nobody's. */
async function written(kept = store(), id = 's') {
  const writer = await kept.create({ ...header, id })
  await writer.append([{ type: 'run', at, run: 'r' }, message('one')])
  await writer.append([message('two')])
  await writer.sync()
  await writer.close()
  return { kept, file: kept.place(id) }
}

describe('a log', () => {
  it('is a file of JSON lines that its owner alone can read', async () => {
    const { file } = await written()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
    expect(linesIn(file)).toEqual([header, { type: 'run', at, run: 'r' }, message('one'), message('two')])
    expect(readdirSync(dirname(file))).toEqual(['s.jsonl'])
  })

  it('lies in the folder of its project, whatever its id and the way there', async () => {
    const folder = temporaryFolder()
    const kept = store(folder)
    const project = temporaryFolder()
    const link = join(temporaryFolder(), 'link')
    symlinkSync(project, link)
    expect(kept.place('s', link)).toBe(kept.place('s', project))
    expect(kept.place('s', project)).not.toBe(kept.place('s', CWD))
    for (const id of ['../../etc/passwd', '..', '.hidden', 'a/b', 'x'.repeat(300), 'zwölf', 'with space']) {
      expect(dirname(kept.place(id))).toBe(dirname(kept.place('s')))
      await written(kept, id)
      expect((await kept.read(id)).header.id).toBe(id)
    }
    expect(new Set((await kept.list()).map(({ id }) => id)).size).toBe(7)
  })

  it('of an id that is taken is not begun again, and the run goes on unkept', async () => {
    const { kept, file } = await written()
    const before = readFileSync(file, 'utf8')
    await expect(kept.create(header)).rejects.toMatchObject({ code: 'agent-core.session.taken' })
    await expect(kept.create({ ...header, cwd: '/elsewhere' })).rejects.toMatchObject({
      code: 'agent-core.session.taken',
    })
    const { agent } = await setUp({ model: scripted({ say: 'ok' }), store: kept })
    const run = agent.session({ id: 's', cwd: CWD }).run('go')
    const notices = ofType(await collect(run), 'notice')
    expect(notices.map(({ text }) => text)).toEqual([
      `The session is not kept from here on: There is a session \`s\` already, in ${file}. Resume it, or take another id.`,
    ])
    expect((await run.result).reason).toBe('done')
    expect(readFileSync(file, 'utf8')).toBe(before)
  })
})

describe('a log that is damaged', () => {
  it('without the end of its last line loses that line, which is said, and goes on behind the one before', async () => {
    const { kept, file } = await written()
    truncateSync(file, statSync(file).size - 20)
    const { events, diagnostics, writer } = await kept.open('s')
    expect(events).toEqual([{ type: 'run', at, run: 'r' }, message('one')])
    expect(diagnostics).toMatchObject([
      { code: 'session.torn', severity: 'warning', source: { file, line: 4, column: 1 } },
    ])
    await writer.append([message('three')])
    await writer.close()
    expect(eventsIn(file)).toEqual([{ type: 'run', at, run: 'r' }, message('one'), message('three')])
  })

  it('by lost power, with zeros at its end, loses what was not written', async () => {
    const { kept, file } = await written()
    truncateSync(file, statSync(file).size - 20)
    appendFileSync(file, Buffer.alloc(4096))
    expect(await kept.read('s')).toMatchObject({ events: { length: 2 }, diagnostics: [{ code: 'session.torn' }] })
  })

  it.each([
    ['no JSON', '{"type":"message",', 'it is no JSON'],
    ['no event', '{"type":"surprise","at":""}', 'there is no event `surprise`'],
    ['half an event', '{"type":"run","at":""}', 'it is no whole `run` event'],
    ['a result without a call', '{"type":"result","at":"","result":{"callId":"x"}}', 'no call waits for its result'],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), 'it is no JSON'],
    ['a message that is none', '{"type":"message","at":"","message":{"role":"king"}}', 'its message needs a role'],
  ])('in the middle (%s) is used up to there, and kept whole beside it', async (_, line, why) => {
    const { kept, file } = await written()
    const lines = readFileSync(file, 'utf8').split('\n')
    const broken = Buffer.concat([
      Buffer.from(`${lines.slice(0, 3).join('\n')}\n`),
      Buffer.from(line),
      Buffer.from(`\n${lines.slice(3).join('\n')}`),
    ])
    writeFileSync(file, broken)
    // Who only reads leaves it alone.
    expect((await kept.read('s')).events).toHaveLength(2)
    expect(readFileSync(file)).toEqual(broken)

    const { agent } = await setUp({ model: scripted({ say: 'ok' }), store: kept })
    const session = await agent.resume('s')
    expect(session.messages).toHaveLength(1)
    const [notice] = ofType(await collect(session.run('on')), 'notice')
    const aside = readdirSync(dirname(file)).find((name) => name.includes('.damaged-')) ?? ''
    expect(notice?.text).toContain(`${file}:4:1: The line can’t be used: ${why}`)
    expect(notice?.text).toContain(`The whole file is kept as ${join(dirname(file), aside)}`)
    expect(readFileSync(join(dirname(file), aside))).toEqual(broken)
    await agent.close()
    expect((await kept.list()).map(({ id }) => id)).toEqual(['s'])
    expect((await kept.read('s')).diagnostics).toEqual([])
    expect(eventsIn(file)[1]).toEqual(message('one'))
  })

  it.each([
    ['is empty', '', 'session.header', 'unreadable'],
    ['is another file', 'hello\n', 'session.header', 'unreadable'],
    ['has half a header', '{"type":"session","version":1}\n', 'session.header', 'unreadable'],
    [
      'is of a newer version',
      `${JSON.stringify({ ...header, version: 4 })}\n{"new":true}\n`,
      'session.version',
      'version',
    ],
  ])('in that it %s is refused, and stays as it is', async (_, text, diagnostic, code) => {
    const { kept, file } = await written()
    writeFileSync(file, text)
    for (const act of [() => kept.open('s'), () => kept.read('s')]) {
      await expect(act()).rejects.toMatchObject({
        code: `agent-core.session.${code}`,
        message: expect.stringContaining(diagnostic),
      })
    }
    expect(readFileSync(file, 'utf8')).toBe(text)
    // Nobody is left working on it.
    expect(readdirSync(dirname(file))).toEqual(['s.jsonl'])
  })

  it('in that it is a link or a folder is refused', async () => {
    const { kept, file } = await written()
    const other = join(temporaryFolder(), 'other')
    writeFileSync(other, readFileSync(file))
    rmSync(file)
    symlinkSync(other, file)
    await expect(kept.open('s')).rejects.toMatchObject({ code: 'agent-core.session.unreadable' })
    rmSync(file)
    mkdirSync(file)
    await expect(kept.read('s')).rejects.toMatchObject({ code: 'agent-core.session.unreadable' })
  })
})

describe('a log that somebody works on', () => {
  const OTHER = `process.stdin.resume(); process.stdout.write('ready')`

  /** Another process, alive. */
  async function otherProcess() {
    const child = spawn(process.execPath, ['-e', OTHER], { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    return child
  }

  it('is refused to another process as long as the first one lives, and taken over once it is gone', async () => {
    const { kept, file } = await written()
    const child = await otherProcess()
    const host = (await import('node:os')).hostname()
    writeFileSync(`${file}.owner`, JSON.stringify({ pid: child.pid, host }))
    await expect(kept.open('s')).rejects.toMatchObject({
      code: 'agent-core.session.locked',
      message: `Process ${child.pid} works on the session. Go on with a copy of it (\`fork\`), or end that one. If it is gone, remove ${file}.owner.`,
    })
    expect((await kept.read('s')).events).toHaveLength(3)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await (await kept.open('s')).writer.close()
    expect(readdirSync(dirname(file))).toEqual(['s.jsonl'])
  })

  it('by a process whose number another one has now is taken over', async () => {
    const { kept, file } = await written()
    const host = (await import('node:os')).hostname()
    writeFileSync(`${file}.owner`, JSON.stringify({ pid: 1, host, started: 'long ago' }))
    await (await kept.open('s')).writer.close()
  })

  it('on another machine is refused, since nobody here can know', async () => {
    const { kept, file } = await written()
    writeFileSync(`${file}.owner`, JSON.stringify({ pid: 1, host: 'elsewhere.example' }))
    await expect(kept.open('s')).rejects.toMatchObject({
      message: expect.stringContaining('Process 1 of elsewhere.example works on the session.'),
    })
  })

  it('by many at once is given to one of them', async () => {
    const { kept } = await written()
    const settled = await Promise.allSettled(Array.from({ length: 8 }, () => kept.open('s')))
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})

describe('the list of sessions', () => {
  it('has the newest first, with what they are about', async () => {
    const kept = store()
    const { agent } = await setUp({
      model: scripted({ calls: [{ tool: 'Echo', input: { text: 'x' } }] }, { say: 'ok' }, { say: 'ok' }),
      tools: [echoTool()],
      store: kept,
    })
    const run = async (id: string, cwd: string, ...prompts: string[]) => {
      const session = agent.session({ id, cwd })
      for (const prompt of prompts) await session.run(prompt).result
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await run('a', '/one', 'Fix\n  the   tests', 'and then push')
    await run('b', '/two', `long ${'x'.repeat(500)}`)
    await run('c', '/one', 'Third')
    await agent.close()
    const listed = await kept.list()
    expect(listed.map(({ id }) => id)).toEqual(['c', 'b', 'a'])
    expect(listed[2]).toEqual({
      id: 'a',
      cwd: '/one',
      permissionMode: 'default',
      startedAt: '2026-01-01T00:00:00.000Z',
      updatedAt: expect.any(String),
      title: 'Fix the tests',
      prompts: 2,
      turns: 3,
      bytes: statSync(kept.place('a', '/one')).size,
      place: kept.place('a', '/one'),
    })
    expect(listed[1]?.title).toHaveLength(200)
    expect((await kept.list({ cwd: '/one' })).map(({ id }) => id)).toEqual(['c', 'a'])
    expect((await kept.list({ limit: 1 })).map(({ id }) => id)).toEqual(['c'])
    expect(await kept.list({ cwd: '/nowhere' })).toEqual([])
  })

  it('leaves out what is no session, and says of a newer one that it can’t be resumed', async () => {
    const { kept, file } = await written()
    for (const [name, text] of [
      ['empty', ''],
      ['garbage', '\u0000\n{"type":"message"}\n'],
    ]) {
      writeFileSync(join(dirname(file), `${name}.jsonl`), text ?? '')
    }
    writeFileSync(join(dirname(file), 'new.jsonl'), `${JSON.stringify({ ...header, id: 'new', version: 9 })}\n`)
    appendFileSync(file, '{"type":"message","at":"","message":{"role":"tool"}}\n{"type":"message"}\n{"type":"result"')
    const listed = await kept.list()
    expect(listed.map(({ id, title, problem }) => [id, title, problem]).sort()).toEqual([
      ['new', '', 'A newer version wrote it: 9.'],
      ['s', 'one', undefined],
    ])
    expect(await store(join(temporaryFolder(), 'nothing')).list()).toEqual([])
  })
})

describe('a search', () => {
  it('finds what people, models and tools said, in whatever case, and shows where', async () => {
    const kept = store()
    const { agent } = await setUp({
      model: scripted(
        { say: 'I "quote" you', calls: [{ tool: 'Echo', input: { text: 'NEEDLE in hay' } }] },
        { say: 'ok' },
      ),
      tools: [echoTool()],
      store: kept,
    })
    await agent.session({ id: 'a', cwd: CWD }).run(`${'before '.repeat(20)}the Straße${' after'.repeat(20)}`).result
    await agent.session({ id: 'b', cwd: '/other' }).run('nothing').result
    await agent.close()
    const [match, ...others] = await kept.search('the STRASSE'.replace('SS', 'ß').toLowerCase())
    expect(others).toEqual([])
    expect(match).toMatchObject({ session: { id: 'a' }, count: 1 })
    expect(match?.excerpt).toMatch(/^…[\w ]{40,60}the Straße[\w ]{40,60}…$/)
    // In the call and in its result, of both sessions.
    expect((await kept.search('needle')).map(({ session, count }) => [session.id, count]).sort()).toEqual([
      ['a', 2],
      ['b', 2],
    ])
    expect((await kept.search('needle', { cwd: '/other' })).map(({ session }) => session.id)).toEqual(['b'])
    expect(await kept.search('i "quote" you', { limit: 1 })).toMatchObject([{ count: 1 }])
    expect(await kept.search('permissionMode')).toEqual([])
  })
})

// Node 20 took a pipe that was looked at last for the end of the path of the next module, which was then not found.
describe('a pipe among the logs', () => {
  it.each([
    ['list', 's Here.'],
    ['search', 's Here.'],
    ['resume', 'agent-core.session.unreadable Here.'],
  ])('is none, and what is imported next is found (%s)', async (how, said) => {
    const folder = temporaryFolder()
    const { file } = await written(store(folder))
    // The last one that is looked at.
    execFileSync('mkfifo', [join(dirname(file), 'pipe.jsonl'), join(dirname(file), 'zz.jsonl')])
    // Without the NODE_PATH of a package manager, which would hide it.
    const fixture = fileURLToPath(new URL('../fixtures/pipe-among-files.mjs', import.meta.url))
    expect(execFileSync(process.execPath, [fixture, folder, how], { encoding: 'utf8', env: {} })).toBe(`${said}\n`)
  })
})
