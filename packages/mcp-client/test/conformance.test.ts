import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/conformance/${name}`, import.meta.url))
const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))

/** Runs one scenario of the official suite against a program that uses the built package. */
async function run(scenario: string): Promise<string> {
  const out = await mkdtemp(join(tmpdir(), 'ext-conformance-'))
  onTestFinished(() => rm(out, { recursive: true, force: true }))
  const command = `${process.execPath} ${fixture('client.mjs')}`
  const args = ['--import', fixture('on-node-20.mjs'), SUITE, 'client', '--command', command]
  // No list of expected failures: there are none.
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...args, '--scenario', scenario, '-o', out])
  return stdout + stderr
}

// One after the other: `sse-retry` measures time.
test.each([
  ['initialize', 1],
  ['tools_call', 1],
  ['elicitation-sep1034-client-defaults', 5],
  ['sse-retry', 3],
] as const)('the official scenario %s passes', async (scenario, checks) => {
  expect(await run(scenario)).toContain(`Passed: ${checks}/${checks}, 0 failed, 0 warnings`)
})
