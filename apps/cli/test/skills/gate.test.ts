import type { SessionRef } from '@ext/kernel/contract'
import { nodePorts } from '@ext/kernel/node'
import { createPermission } from '@ext/permission'
import { expect, test } from 'vitest'
import { sharedGate } from '../../src/skills/host.js'
import { temporaryFolder } from '../bin.js'

const tool = {
  name: 'Bash',
  description: '',
  inputSchema: { type: 'object' },
  kind: 'exec',
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  source: { tool: 'Bash', trusted: false },
} as const

const bash = (command: string) => ({ call: { id: '1', name: 'Bash', input: { command } }, tool })

/** A gate with a session as an agent opens it, and once more for another model or another conversation. */
async function host() {
  const cwd = await temporaryFolder()
  const permission = await createPermission({ layers: [], cwd, ports: nodePorts() })
  const gate = sharedGate(() => permission)
  const ref = (id: string, more: Partial<SessionRef> = {}): SessionRef =>
    Object.freeze({ id, cwd, origin: 'main', permissionMode: 'default', ...more })
  const open = (id: string, more?: Partial<SessionRef>) => gate.session(ref(id, more))
  return { gate, open }
}

test('what was allowed outlives another model, for each agent that has had the conversation', async () => {
  const { gate, open } = await host()
  const captain = { agent: { type: 'captain' } }
  await open('a').remember(bash('id'), { scope: 'session' })
  await open('a', captain).remember(bash('uptime'), { scope: 'session' })
  await open('a', { origin: 'agent', agent: { type: 'reader', id: '1' } }).remember(bash('wc'), { scope: 'session' })
  for (const model of ['second', 'third']) {
    gate.goesOn('a')
    const [first, second] = [open('a'), open('a', captain)]
    const verdicts = ['id', 'uptime', 'wc'].map((line) =>
      [first, second].map((each) => each.decide(bash(line)).behavior),
    )
    expect(verdicts, model).toEqual([
      ['allow', 'ask'],
      ['ask', 'allow'],
      ['ask', 'ask'],
    ])
    expect(gate.remembered({ id: 'a', agent: 'captain', permissionMode: 'default' })).toHaveLength(1)
    expect(open('a', { permissionMode: 'acceptEdits' }).remembered).toEqual([])
  }
})

test('it ends with the session: another one, and this one taken up anew, begin with nothing', async () => {
  const { gate, open } = await host()
  const captain = { agent: { type: 'captain' } }
  await open('a').remember(bash('id'), { scope: 'session' })
  await open('a', captain).remember(bash('id'), { scope: 'session' })
  expect(open('b').remembered).toEqual([])
  expect(open('a').remembered).toEqual([])
  gate.goesOn('a')
  expect([open('a').remembered, open('a', captain).remembered]).toEqual([[], []])

  await open('c').remember(bash('id'), { scope: 'session' })
  gate.goesOn('c')
  expect(open('d').remembered).toEqual([])
  expect(open('c').remembered).toEqual([])
})
