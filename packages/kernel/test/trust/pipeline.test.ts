import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { definePipeline, documentReader, isMap, type Located, mapEntries, type Snapshot } from '../../src/index.js'
import { nodeFiles, nodeHash } from '../../src/node/index.js'
import { fakeClock, memoryTrustStore } from '../../src/testing/index.js'
import { createTrust, type TrustSubject } from '../../src/trust/index.js'
import { project } from './project.js'

/** A toy axis whose entries run a script. */
const toys = definePipeline({
  axis: 'toys',
  readers: [documentReader('ext', (document) => mapEntries(document, '/toys'))],
  validate: (input, _context: undefined) => {
    const script = isMap(input.value) ? input.value['script'] : undefined
    return { value: { script: String(script) }, diagnostics: [] }
  },
  identity: (entry) => entry.pointer.slice('/toys/'.length),
  merge: 'override',
  needsConsent: () => true,
  compile: (entry) => ({ value: entry.value.script, diagnostics: [] }),
})

/** What the axis adds: how its entries are shown and covered. */
function subjectOf(entry: Located<{ readonly script: string }>): TrustSubject {
  const root = dirname(entry.source.file ?? '/')
  const name = entry.pointer.slice('/toys/'.length)
  return { kind: 'toys', name, root, runs: { command: { file: 'node', args: [entry.value.script] }, cwd: root } }
}

it('an axis hands `isApproved` to its pipeline: what nobody has approved, or what has changed since, does not take effect', async () => {
  const root = project({
    'toys.yaml': 'toys:\n  ball:\n    script: ball.mjs\n  kite:\n    script: kite.mjs\n',
    'ball.mjs': 'ball',
    'kite.mjs': 'kite',
  })
  const trust = await createTrust({ store: memoryTrustStore(), hash: nodeHash(), clock: fakeClock() })
  const subjects: TrustSubject[] = []
  const load = (): Promise<Snapshot<string>> =>
    toys.load([{ kind: 'file', layer: 'project', dialect: 'ext', path: join(root, 'toys.yaml') }], undefined, {
      files: nodeFiles(),
      approved(entry) {
        const subject = subjectOf(entry)
        subjects.push(subject)
        return trust.isApproved(subject)
      },
    })
  const verdicts = async () => (await load()).records.map(({ name, verdict }) => `${name} ${verdict}`)

  expect(await verdicts()).toEqual(['ball untrusted', 'kite untrusted'])

  const ball = trust.pending(subjects).filter(({ name }) => name === 'ball')
  await trust.approve(ball)
  expect((await verdicts()).toSorted()).toEqual(['ball loaded', 'kite untrusted'])
  expect((await load()).entries.map(({ value }) => value)).toEqual(['ball.mjs'])

  writeFileSync(join(root, 'ball.mjs'), 'something else')
  expect(await verdicts()).toEqual(['ball untrusted', 'kite untrusted'])
})
