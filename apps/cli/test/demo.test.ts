import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ext } from './bin.js'

describe('ext demo', () => {
  it('shows all seven points in one transcript and removes its project', async () => {
    const { code, stdout, stderr } = await ext(['demo'])
    const project = /real files: (.+)/.exec(stdout)?.[1] ?? ''
    await expect(mask(stdout, project)).toMatchFileSnapshot('golden/demo.txt')
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(existsSync(project)).toBe(false)
  })

  it('leaves the project for a look with --keep, and says how to run on it again', async () => {
    const { code, stdout } = await ext(['demo', '--keep'])
    const project = /The project stays at (.+)\. Run/.exec(stdout)?.[1] ?? ''
    onTestFinished(() => rm(project, { recursive: true, force: true }))
    expect(code).toBe(0)
    expect(await readFile(join(project, 'edits.log'), 'utf8')).toBe('edited RELEASE-1.2.0.md\nedited PUSH_REQUEST.md\n')
    expect(await readFile(join(project, 'PUSH_REQUEST.md'), 'utf8')).toBe(
      'Please push main for the release of 1.2.0.\n',
    )
    expect(existsSync(join(project, '.env'))).toBe(false)

    const [, command = ''] = /\n {2}ext (run .+)/.exec(stdout) ?? []
    const args = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '')
    const again = await ext(args)
    expect(again.stdout).toContain('result      done')
    expect(again.code).toBe(0)
  })
})

/** What differs from run to run: the folder. Everything else must be the same each time. */
function mask(text: string, project: string): string {
  return text.replaceAll(project, '<project>').replace(/v\d+\.\d+\.\d+/g, '<version>')
}
