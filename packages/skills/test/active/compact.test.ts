import { estimateTokens } from '@ext/kernel/words'
import { describe, expect, it } from 'vitest'
import { call, makeProject, sessionRef, skill } from '../project.js'

const lines = (word: string) => Array.from({ length: 100 }, (_, index) => `${word} line ${index}`.padEnd(39)).join('\n')

/** A session with the skills a, b and c of about 1,000 tokens each, in this order. */
async function loaded() {
  const names = ['a', 'b', 'c']
  const project = await makeProject(
    Object.fromEntries(names.map((name) => [`skills/${name}/SKILL.md`, skill(`description: ${name}.`, lines(name))])),
  )
  const session = (await project.load()).session(sessionRef())
  for (const name of names) await session.activate(name, { via: 'model' })
  const texts = () => Object.fromEntries(session.active().map((each) => [each.skill.name, each.text]))
  return { session, texts }
}

describe('A compaction', () => {
  it('keeps what fits of the instructions of active skills, the newest activation first', async () => {
    const { session, texts } = await loaded()
    await session.activate('a', { via: 'model' })
    const before = texts()
    expect(session.compact({ tokens: 1500 })).toEqual({ whole: ['a'], shortened: ['c'], putAway: ['b'] })
    const after = texts()
    expect(after['a']).toBe(before['a'])
    expect(after['b']).toBe(
      '# Skill b\n\n[Its instructions are left out to save room. Load the skill `b` again when you need it.]',
    )
    const [kept = '', note] = after['c']?.split('\n\n[') ?? []
    expect(before['c']?.startsWith(kept)).toBe(true)
    expect(kept).toMatch(/c line \d+$/)
    expect(note).toBe('The rest is left out to save room. Load the skill `c` again when you need it.]')
    expect(Object.keys(after)).toEqual(['a', 'b', 'c'])
  })

  it('keeps to its budget, but for the line that a skill was there', async () => {
    const { session, texts } = await loaded()
    session.compact({ tokens: 2000, tokensPerSkill: 800 })
    const sizes = Object.values(texts()).map((text) => text.length / 4)
    expect(sizes.every((size) => size <= 800)).toBe(true)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(2000)
  })

  it('keeps to its budget in a script whose characters take a token each', async () => {
    const project = await makeProject({ 'skills/a/SKILL.md': skill('description: A.', '説明を書く。\n'.repeat(1000)) })
    const session = (await project.load()).session(sessionRef())
    await session.activate('a', { via: 'model' })
    expect(session.compact({ tokensPerSkill: 500 })).toMatchObject({ shortened: ['a'] })
    const size = estimateTokens(session.active()[0]?.text ?? '')
    expect(size).toBeLessThanOrEqual(500)
    expect(size).toBeGreaterThan(400)
  })

  it('changes nothing where there is room', async () => {
    const { session, texts } = await loaded()
    const before = texts()
    expect(session.compact()).toEqual({ whole: ['c', 'b', 'a'], shortened: [], putAway: [] })
    expect(texts()).toEqual(before)
  })

  it('of a compaction cuts further, and never says twice that something was cut', async () => {
    const { session, texts } = await loaded()
    session.compact({ tokens: 5000, tokensPerSkill: 500 })
    session.compact({ tokens: 5000, tokensPerSkill: 300 })
    expect(texts()['a']?.match(/left out to save room/g)).toHaveLength(1)
    session.compact({ tokens: 0 })
    session.compact({ tokens: 0 })
    expect(texts()['a']).toMatch(/^# Skill a\n\n\[Its instructions are left out/)
  })

  it('is over for a skill that is loaded again: it is not taken for one that is there already', async () => {
    const { session, texts } = await loaded()
    const before = texts()
    session.compact({ tokens: 0 })
    const { text } = await call(session.tools()[0], { name: 'a' })
    expect(text).toContain('The skill `a` is loaded. Follow its instructions')
    expect(texts()['a']).toBe(before['a'])
  })

  it('leaves the catalog as it is, byte for byte', async () => {
    const { session } = await loaded()
    const [before] = session.context()
    session.compact({ tokens: 0 })
    expect(session.context()[0]).toEqual(before)
  })

  it.each([-1, Number.NaN])('takes no budget of %s', async (tokens) => {
    const { session } = await loaded()
    expect(() => session.compact({ tokens })).toThrow('Expected `tokens` and `tokensPerSkill`')
  })
})
