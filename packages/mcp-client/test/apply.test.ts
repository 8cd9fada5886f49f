import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { McpClient } from '../src/index.js'
import { client, codes, hostile, inMemory, isAlive, names, PATIENCE, settled, textOf, worker } from './helpers.js'

const pidOf = async (made: McpClient, server: string) => Number(textOf(await made.call(`mcp__${server}__pids`, {})))
const nothing = { added: [], removed: [], restarted: [], changed: [], unchanged: [] }

describe('new configuration', () => {
  test('touches only what is different', async () => {
    const made = await settled({ same: worker(), changed: worker(), restarted: worker(), removed: worker() })
    const before = new Map(made.tools().map((tool) => [tool.name, tool]))
    const pids = Object.fromEntries(
      await Promise.all(
        ['same', 'changed', 'restarted', 'removed'].map(async (name) => [name, await pidOf(made, name)]),
      ),
    )
    const applied = await made.apply([
      inMemory({
        same: worker(),
        changed: { ...worker(), timeout: { call: '150ms' }, tools: { deny: ['stick'] } },
        restarted: worker({ suffix: '!' }),
        added: worker(),
      }),
    ])
    expect(applied).toEqual({
      added: ['added'],
      removed: ['removed'],
      restarted: ['restarted'],
      changed: ['changed'],
      unchanged: ['same'],
    })
    await made.ready({ within: PATIENCE })
    expect(made.status().map(({ name, state }) => `${name} ${state}`)).toEqual([
      'added ready',
      'changed ready',
      'restarted ready',
      'same ready',
    ])
    expect(await pidOf(made, 'same')).toBe(pids['same'])
    expect(await pidOf(made, 'changed')).toBe(pids['changed'])
    expect(await pidOf(made, 'restarted')).not.toBe(pids['restarted'])
    expect(isAlive(pids['restarted'])).toBe(false)
    await expect.poll(() => isAlive(pids['removed']), { timeout: PATIENCE }).toBe(false)

    expect(textOf(await made.call('mcp__restarted__read', { text: 'hi' }))).toBe('hi!')
    expect(await made.call('mcp__changed__wait', { ms: 5000 })).toMatchObject({ meta: { kind: 'timeout' } })
    expect(names(made)).not.toContain('mcp__changed__stick')
    expect(textOf(await made.call('mcp__changed__stick', {}))).toContain('is not offered: `tools.deny` has `stick`')
    expect(names(made).filter((name) => name.includes('removed'))).toEqual([])
    for (const tool of made.tools()) {
      if (/__(same|changed)__/.test(tool.name)) expect(tool).toBe(before.get(tool.name))
    }
  })

  test('ends the calls of what is gone, as results, and leaves the others alone', async () => {
    const made = await settled({ stays: worker(), goes: worker() })
    const stays = made.call('mcp__stays__wait', { ms: 600 })
    const goes = made.call('mcp__goes__wait', { ms: 600 })
    const [tool] = made.tools().filter(({ name }) => name === 'mcp__goes__read')
    await made.apply([inMemory({ stays: worker() })])
    expect(await goes).toMatchObject({ isError: true, meta: { server: 'goes', kind: 'aborted' } })
    expect(textOf(await stays)).toBe('done')
    // Whoever still holds a tool of it gets an answer too.
    expect(await tool?.run({}, CONTEXT)).toMatchObject({ isError: true, meta: { server: 'goes', kind: 'aborted' } })
    expect(textOf(await made.call('mcp__goes__read', {}))).toContain('There is no tool `mcp__goes__read`.')
  })

  test('is seen as a whole by every reader and every call, while it changes all the time', async () => {
    const tools = ['read', 'pids', 'write']
    const base = { fixed: worker({ tools }), flips: worker({ tools }) }
    const made = await settled({ ...base })
    let going = true
    const halves: string[] = []
    let calls = 0
    const look = () => {
      const count = (server: string) => names(made).filter((name) => name.startsWith(`mcp__${server}__`)).length
      if (count('fixed') !== 3 || ![0, 3].includes(count('flips'))) halves.push(names(made).join())
    }
    made.onChange(look)
    const read = async () => {
      while (going) {
        look()
        const fixed = await made.call('mcp__fixed__read', { text: String(++calls) })
        if (fixed.isError) halves.push(textOf(fixed))
        const flips = await made.call('mcp__flips__read', { text: 'x' })
        const isFine = !flips.isError || ['aborted', 'network', 'protocol'].includes(String(flips.meta?.['kind']))
        if (!isFine) halves.push(textOf(flips))
      }
    }
    const readers = [read(), read(), read()]
    for (let round = 0; round < 12; round++) {
      const flips = [{}, { flips: base.flips }, { flips: { ...base.flips, timeout: { call: `${round + 1}s` } } }][
        round % 3
      ]
      await made.apply([inMemory({ fixed: base.fixed, ...flips })])
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
    going = false
    await Promise.all(readers)
    expect(halves).toEqual([])
    expect(calls).toBeGreaterThan(20)
  }, 40_000)

  test('is taken over one after the other, and the last one stays', async () => {
    const made = await client({ layers: [] })
    const applied = await Promise.all([
      made.apply([inMemory({ a: hostile('echo') })]),
      made.apply([inMemory({ a: hostile('echo'), b: hostile('echo') })]),
      made.apply([inMemory({ b: hostile('echo') })]),
    ])
    expect(applied).toEqual([
      { ...nothing, added: ['a'] },
      { ...nothing, added: ['b'], unchanged: ['a'] },
      { ...nothing, removed: ['a'], unchanged: ['b'] },
    ])
    expect(made.status().map(({ name }) => name)).toEqual(['b'])
    expect(made.snapshot.entries.map(({ name }) => name)).toEqual(['b'])
  })

  test('that can not be read keeps what was there, and says so', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mcp-apply-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const path = join(folder, 'config.json')
    await writeFile(path, JSON.stringify({ mcpServers: { a: worker(), b: worker() } }))
    const made = await client({ layers: [{ kind: 'file', layer: 'user', dialect: 'ext', path }] })
    await made.ready({ within: PATIENCE })
    const before = made.tools()
    const pid = await pidOf(made, 'a')

    await writeFile(path, '{"mcpServers": {')
    expect(await made.apply()).toEqual({ ...nothing, unchanged: ['a', 'b'] })
    expect(codes(made.diagnostics)).toContain('config.entry.last-good')
    await writeFile(path, JSON.stringify({ mcpServers: { a: { command: 7 }, b: worker() } }))
    expect(await made.apply()).toEqual({ ...nothing, unchanged: ['a', 'b'] })
    expect(made.tools()).toBe(before)
    expect(await pidOf(made, 'a')).toBe(pid)

    await writeFile(path, JSON.stringify({ mcpServers: { b: worker() } }))
    expect(await made.apply()).toEqual({ ...nothing, removed: ['a'], unchanged: ['b'] })
    expect(made.diagnostics).toEqual([])
  })

  test('is asked about again: what was approved meanwhile is started, what is not any more is ended', async () => {
    let agreed = false
    const layers = [inMemory({ a: hostile('echo') }, { layer: 'project' })]
    const made = await client({ layers, approved: () => agreed })
    expect(made.status()).toMatchObject([{ name: 'a', state: 'untrusted' }])
    agreed = true
    expect(await made.apply()).toEqual({ ...nothing, added: ['a'] })
    await made.ready({ within: PATIENCE })
    expect(names(made)).toEqual(['mcp__a__echo'])
    agreed = false
    expect(await made.apply()).toEqual({ ...nothing, removed: ['a'] })
    expect(made.status()).toMatchObject([{ name: 'a', state: 'untrusted' }])
    expect(names(made)).toEqual([])
  })

  test('that comes after the client was closed starts nothing', async () => {
    const made = await settled({ a: hostile('echo') })
    await made.close()
    expect(await made.apply([inMemory({ b: hostile('echo') })])).toEqual(nothing)
    expect(made.status()).toMatchObject([{ name: 'a', state: 'closed' }])
  })
})

const CONTEXT = {
  signal: new AbortController().signal,
  session: { id: '1', cwd: '/', origin: 'main', permissionMode: 'default' },
  callId: '1',
  idempotencyKey: '1',
  progress: () => {},
  report: () => {},
} as const
