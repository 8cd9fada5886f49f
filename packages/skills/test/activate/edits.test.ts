import { rename, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { makeProject, sessionRef, skill } from '../project.js'

const EDITS = 1000

/** A version of a skill whose two halves tell whether they belong together. */
function version(number: number): string {
  return skill(`description: D.\nmetadata: {version: ${number}}`, `${number} ${'x'.repeat(3000)} ${number}\n`)
}

function halves(text: string): readonly (string | undefined)[] {
  const [, first, last] = /\n(\d+) x+ (\d+)$/.exec(text) ?? []
  return [first, last]
}

describe('A file that is edited while it is activated', () => {
  it('is one version or another, never a mixture, when each edit replaces it in one step', async () => {
    const project = await makeProject({ 'skills/it/SKILL.md': version(0) })
    const session = (await project.load()).session(sessionRef())
    const path = project.path('skills/it/SKILL.md')
    let edit = 0
    const edits = (async () => {
      while (edit < EDITS) {
        edit++
        await writeFile(`${path}.next`, version(edit))
        await rename(`${path}.next`, path)
      }
    })()
    const seen = new Set<string>()
    for (let at = 0; at < EDITS; at++) {
      const before = edit
      const found = await session.activate('it', { via: 'model' })
      if (found.mode !== 'inline') throw new Error(found.problem)
      const [first, last] = halves(found.text)
      expect(first).toBeDefined()
      expect(last).toBe(first)
      expect(found.stale).toBeUndefined()
      expect(found.skill.metadata).toEqual({ version: Number(first) })
      // What was there before is not given any more.
      expect(Number(first)).toBeGreaterThanOrEqual(before - 1)
      seen.add(first ?? '')
    }
    await edits
    expect(seen.size).toBeGreaterThan(10)
  }, 60_000)

  it('and is written in place keeps the version before while it is empty or has no header, and says so', async () => {
    const project = await makeProject({ 'skills/it/SKILL.md': version(1) })
    const session = (await project.load()).session(sessionRef())
    await session.activate('it', { via: 'model' })
    for (const torn of ['', '---\ndescr', version(2).slice(0, 30)]) {
      await project.write('skills/it/SKILL.md', torn)
      const found = await session.activate('it', { via: 'model' })
      if (found.mode !== 'inline') throw new Error(found.problem)
      expect(halves(found.text)).toEqual(['1', '1'])
      expect(found.stale).toContain('SKILL.md')
    }
    await project.write('skills/it/SKILL.md', version(2))
    const whole = await session.activate('it', { via: 'model' })
    expect(whole.mode === 'inline' && [halves(whole.text), whole.stale]).toEqual([['2', '2'], undefined])
  })
})

describe('A skill that was returned', () => {
  it('stays what it was, whatever becomes of its file', async () => {
    const project = await makeProject({ 'skills/it/SKILL.md': version(1) })
    const session = (await project.load()).session(sessionRef())
    const first = await session.activate('it', { via: 'model' })
    const copy = structuredClone({ ...first, skill: { ...first.skill, paths: undefined } })
    await project.write('skills/it/SKILL.md', version(2))
    await session.activate('it', { via: 'model' })
    expect({ ...first, skill: { ...first.skill, paths: undefined } }).toEqual(copy)
    expect(() => Object.assign(first.skill?.metadata ?? {}, { version: 9 })).toThrow(TypeError)
  })
})
