import { nodePorts } from '@ext/kernel/node'
import { expect, test } from 'vitest'
import { loadServers } from '../src/load.js'
import { inMemory } from './helpers.js'

test('configuration can be read without starting a server', async () => {
  const ports = nodePorts()
  const snapshot = await loadServers({
    layers: [inMemory({ good: { command: 'never-started' }, bad: { comand: 'x' } })],
    cwd: '/work-here',
    ports: { files: ports.files, env: {}, platform: 'linux' },
  })
  expect(snapshot.entries.map(({ name, value }) => [name, value.endpoint()])).toEqual([
    [
      'good',
      { kind: 'stdio', command: { file: 'never-started', args: [] }, cwd: '/work-here', env: {}, protocol: '2025' },
    ],
  ])
  expect(snapshot.records.map(({ name, verdict }) => `${name} ${verdict}`)).toEqual(['bad broken', 'good loaded'])
})
