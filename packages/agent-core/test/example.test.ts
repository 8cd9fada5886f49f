import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const file = fileURLToPath(new URL('../examples/embed.mjs', import.meta.url))

describe('the example of an embedding', () => {
  it('runs against the built package', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [file])
    expect(stdout).toBe(
      [
        'It rains in Bergen.',
        '[hook guard] There is no such city.',
        'Take an umbrella to Bergen. Atlantis is not there.',
        '',
      ].join('\n'),
    )
  })

  it('has less than 40 lines', async () => {
    expect((await readFile(file, 'utf8')).trimEnd().split('\n').length).toBeLessThan(40)
  })
})
