import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
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
  const before = usedHeap()
  const skills = await project.load()
  const kept = usedHeap() - before
  expect(skills.snapshot.entries).toHaveLength(bodies)
  expect(kept).toBeLessThan((bodies * bodyBytes) / 4)
})

function usedHeap(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}
