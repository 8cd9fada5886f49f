import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { makeProject, skill } from './project.js'

it('keeps no body in memory, only what the headers say', async () => {
  const bodies = 60
  const bodyBytes = 500_000
  const texts = Array.from({ length: bodies }, (_, index) => [
    `skills/s${index}/SKILL.md`,
    skill(`description: Number ${index}.`, 'x'.repeat(bodyBytes)),
  ])
  const project = await makeProject(Object.fromEntries(texts))
  texts.length = 0
  const before = await usedHeap()
  const skills = await project.load()
  const kept = (await usedHeap()) - before
  expect(skills.snapshot.entries).toHaveLength(bodies)
  expect(kept).toBeLessThan((bodies * bodyBytes) / 4)
})

describe('Skills that say little', () => {
  const count = 400
  const many = () => {
    const text = (index: number) => skill(`name: s${index}\ndescription: Number ${index}.`)
    return makeProject(
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`skills/s${index}/SKILL.md`, text(index)])),
    )
  }

  it('are read again from the little that stays in memory, as they were', async () => {
    const project = await many()
    let trusted = true
    const skills = await project.load({ trusted: () => trusted })
    const before = structuredClone(skills.snapshot.entries.map(({ value }) => value))
    const weak = new WeakRef(skills.snapshot.entries[0]?.value ?? {})
    trusted = false
    await collect()
    expect(weak.deref()).toBeUndefined()
    expect(skills.snapshot.entries.map(({ value }) => value)).toEqual(before)
    const entry = skills.snapshot.entries.find(({ name }) => name === 's7')
    expect(entry?.value).toMatchObject({ trusted: true, file: project.path('skills/s7/SKILL.md') })
    expect(Object.isFrozen(skills.snapshot.entries[0]?.value)).toBe(true)
    expect(skills.explain('s7').found).toMatchObject([{ source: { line: 2, column: 1 } }])
  })

  it('know their places like all others', async () => {
    const project = await makeProject({
      'skills/a/SKILL.md': skill('name: a\ndescription: A.'),
      'skills/b/SKILL.md': skill('name: b\ndescription: B.\npaths: src'),
    })
    const skills = await project.load()
    const places = () =>
      skills.snapshot.entries.map(({ name }, index) => [name, skills.snapshot.entries[index]?.at('/description').line])
    const expected = [
      ['b', 3],
      ['a', 3],
    ]
    expect(places()).toEqual(expected)
    await collect()
    expect(places()).toEqual(expected)
    expect(skills.snapshot.entries.map(({ value }) => value.paths !== undefined)).toEqual([true, false])
    await project.write('skills/b/SKILL.md', '---\nname: [\n---\n')
    await project.write('skills/a/SKILL.md', '---\nname: [\n---\n')
    await skills.reload()
    expect(places()).toEqual(expected)
  })

  it('stay as they were when a file breaks after that', async () => {
    const project = await many()
    const skills = await project.load()
    await collect()
    await project.write('skills/s7/SKILL.md', '---\nname: [\n---\n')
    await skills.reload()
    expect(skills.snapshot.entries).toHaveLength(count)
    expect(skills.snapshot.entries.find(({ name }) => name === 's7')?.value.description).toBe('Number 7.')
    expect(skills.diagnostics.map(({ code }) => code)).toContain('config.entry.last-good')
  })
})

/** What a weak reference has led to is held for a turn or two. */
async function collect(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  for (let turn = 0; turn < 3; turn++) {
    await setTimeout(5)
    gc()
  }
}

async function usedHeap(): Promise<number> {
  await collect()
  return process.memoryUsage().heapUsed
}
