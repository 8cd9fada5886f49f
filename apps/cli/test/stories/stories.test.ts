import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { departures, tell } from './compare.js'
import { machineFor } from './machine.js'
import { type Project, project } from './projects.js'

const PROJECTS = fc.sample(project, { numRuns: 50, seed: 20261130 })
/** Those that the built bin plays as well; it costs ten times as much. */
const BY_BIN = [3, 17, 31]

/** What explain, doctor and trust say, against what happens, before and after everything is approved. */
async function story(drawn: Project, by: 'bin' | 'process') {
  const machine = await machineFor(drawn, by)
  try {
    const before = await tell(machine, drawn)
    const approved = await machine.approve()
    const after = await tell(machine, drawn)
    return {
      before: departures(drawn, before),
      approved,
      waiting: after.trusted.pending,
      untrusted: after.doctor.entries.filter(({ verdict }) => verdict === 'untrusted'),
      after: departures(drawn, after),
    }
  } finally {
    await machine.close()
  }
}

const AGREED = { before: [], approved: 0, waiting: [], untrusted: [], after: [] }

describe('explain, doctor and trust tell what then happens', () => {
  it.each(PROJECTS.map((drawn, index) => ({ index, drawn })))('in project $index', async ({ drawn }) => {
    expect(await story(drawn, 'process')).toEqual(AGREED)
  })

  it.each(BY_BIN)('in project %i by the built bin', async (index) => {
    const drawn = PROJECTS[index]
    if (!drawn) throw new Error('There is no such project.')
    expect(await story({ ...drawn, calls: drawn.calls.slice(0, 3) }, 'bin')).toEqual(AGREED)
  })
})
