import { appendFileSync } from 'node:fs'
import fc from 'fast-check'
import { it } from 'vitest'
import { departures, tell } from './compare.js'
import { machineFor } from './machine.js'
import { project } from './projects.js'

it('x', async () => {
  const all = fc.sample(project, { numRuns: 300, seed: 777 })
  const count: Record<string, number> = {}
  const add = (k: string) => {
    count[k] = (count[k] ?? 0) + 1
  }
  for (const [i, drawn] of all.entries()) {
    const machine = await machineFor(drawn, 'process')
    const t = Date.now()
    for (const phase of ['before', 'after']) {
      const story = await tell(machine, drawn)
      const d = departures(drawn, story)
      if (d.length)
        appendFileSync(
          '/tmp/explore.txt',
          [`#${i} ${phase} ${drawn.skill}`, ...d].join('\n').replaceAll(machine.root, 'ROOT') + '\n',
        )
      for (const e of story.events) {
        if (e.type === 'permission') add(`${phase} ${e.behavior} ${e.decidedBy.layer} ${e.answeredBy}`)
        if (e.type === 'hook') add(`${phase} hook ${e.outcome}`)
        if (e.type === 'tool_rejected') add(`${phase} rejected`)
      }
      for (const e of story.explained) add(`${phase} said ${e?.permission.behavior} ${e?.notOffered !== undefined}`)
      if (phase === 'before') {
        const c = await machine.approve()
        if (c !== 0) appendFileSync('/tmp/explore.txt', `#${i} approve ${c}\n`)
      } else {
        if (story.trusted.pending.length || story.doctor.entries.some((e) => e.verdict === 'untrusted'))
          appendFileSync('/tmp/explore.txt', `#${i} still waits\n`)
      }
    }
    add(`t${Math.round((Date.now() - t) / 200) * 200}`)
    await machine.close()
  }
  appendFileSync('/tmp/explore.txt', JSON.stringify(count, null, 1) + '\nEND\n')
}, 1000000)
