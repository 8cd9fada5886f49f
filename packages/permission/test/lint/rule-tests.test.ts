import { memoryFiles } from '@ext/kernel/testing'
import { expect, test } from 'vitest'
import { testRules } from '../../src/lint/index.js'

const FILE = '/repo/.ext/config.yaml'

function run(text: string) {
  const ports = { files: memoryFiles({ [FILE]: text }), home: '/home/u', platform: 'linux' }
  return testRules({ layers: [{ kind: 'file', layer: 'project', dialect: 'ext', path: FILE }], cwd: '/repo', ports })
}

const rule = (tests: string) => `permissions:
  rules:
    - { effect: allow, tool: Bash, command: npm test *, tests: ${tests} }
`

test('counts the tests beside rules, and names those that fail with their place', async () => {
  expect(await run(rule('{ match: [npm test, npm test -- -u], notMatch: [npm publish] }'))).toEqual({
    total: 3,
    failed: [],
    diagnostics: [],
  })
  const { total, failed } = await run(rule('{ match: [npm publish] }'))
  expect(total).toBe(1)
  expect(failed).toMatchObject([{ source: { file: FILE, line: 3 }, hint: expect.any(String) }])
})

test('has nothing to run where no rule has tests, and says what else is wrong', async () => {
  expect(await run('permissions: { allow: [Bash(ls *)] }')).toEqual({ total: 0, failed: [], diagnostics: [] })
  expect(await run('permissions: { deny: ["Read(./.env"] }')).toMatchObject({
    total: 0,
    diagnostics: [{ code: 'permission.rule.malformed' }],
  })
})
