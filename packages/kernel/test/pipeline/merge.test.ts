import { describe, expect, it } from 'vitest'
import { layerRank } from '../../src/index.js'
import { memoryFiles } from '../../src/testing/index.js'
import { toyPipeline } from '../toy-axis.js'
import { file, value, values, verdicts } from './toys.js'

const host = { files: memoryFiles({}), approved: () => true }

describe('an entry that says how it merges', () => {
  it('replaces the farther ones of its name also where entries add up', async () => {
    const sources = [
      value('user', { ball: { size: 1 }, cube: { size: 2 } }),
      value('project', { ball: { size: 3, merge: 'override' } }),
      value('local', { ball: { size: 4 } }),
    ]
    const snapshot = await toyPipeline('append').load(sources, undefined, host)
    expect(values(snapshot)).toEqual([
      ['cube', 'size 2'],
      ['ball', 'size 3'],
      ['ball', 'size 4'],
    ])
    expect(snapshot.diagnostics).toMatchObject([
      { code: 'config.entry.shadowed', source: { name: 'user' }, related: [{ source: { name: 'project' } }] },
    ])
  })

  it('stands beside the farther ones where entries replace each other', async () => {
    const sources = [value('user', { ball: { size: 1 } }), value('project', { ball: { size: 3, merge: 'append' } })]
    expect(values(await toyPipeline('override').load(sources, undefined, host))).toEqual([
      ['ball', 'size 1'],
      ['ball', 'size 3'],
    ])
  })

  it('has no say against a managed one that replaces', async () => {
    const sources = [
      value('user', { ball: { size: 1, merge: 'append' } }),
      value('managed', { ball: { size: 9, merge: 'override' } }),
    ]
    const forbidding = toyPipeline('append', { mayReplace: () => false })
    expect(values(await forbidding.load(sources, undefined, host))).toEqual([['ball', 'size 9']])
  })

  it('replaces nothing as long as nobody has approved it', async () => {
    const sources = [
      value('user', { ball: { size: 1 } }),
      value('project', { ball: { size: 1000, merge: 'override' } }),
    ]
    const snapshot = await toyPipeline('append').load(sources, undefined, { ...host, approved: () => false })
    expect(verdicts(snapshot)).toEqual({ 'user/ball': 'loaded', 'project/ball': 'untrusted' })
  })
})

describe('an axis that protects its more trusted layers', () => {
  const protecting = toyPipeline('append', {
    mayReplace: (winner, loser) => winner.layer === 'local' || layerRank(loser.layer) < layerRank('user'),
  })

  it('leaves out what would replace them, and names both places', async () => {
    const text = 'toys:\n  ball: {size: 3, merge: override}\n'
    const sources = [
      value('plugin', { ball: { size: 0 } }),
      value('user', { ball: { size: 1 } }),
      file('project', '/p.yaml'),
    ]
    const snapshot = await protecting.load(sources, undefined, { ...host, files: memoryFiles({ '/p.yaml': text }) })
    expect(verdicts(snapshot)).toEqual({ 'plugin/ball': 'loaded', 'user/ball': 'loaded', 'project/ball': 'broken' })
    expect(snapshot.diagnostics).toMatchObject([
      {
        code: 'config.entry.replace-refused',
        severity: 'error',
        entry: 'project:/p.yaml#/toys/ball',
        source: { file: '/p.yaml', line: 2, column: 9 },
        related: [{ source: { layer: 'user', name: 'user' } }],
      },
    ])
  })

  it('lets pass what is allowed, and another one replace in its stead', async () => {
    const refused = value('project', { ball: { size: 3, merge: 'override' } })
    const sources = [
      value('user', { ball: { size: 1 } }),
      refused,
      value('local', { ball: { size: 4, merge: 'override' } }),
    ]
    const snapshot = await protecting.load(sources, undefined, host)
    expect(verdicts(snapshot)).toEqual({ 'user/ball': 'shadowed', 'project/ball': 'shadowed', 'local/ball': 'loaded' })
  })
})
