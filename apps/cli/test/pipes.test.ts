import { execFileSync } from 'node:child_process'
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ext, temporaryFolder } from './bin.js'

// Node 20 took a pipe that was looked at last for the end of the path of the next module, which was then not found.
test('a pipe where a skill is expected costs itself only, whatever is imported behind it', async () => {
  const project = await temporaryFolder()
  await mkdir(join(project, '.claude/skills/pipe'), { recursive: true })
  execFileSync('mkfifo', [join(project, '.claude/skills/pipe/SKILL.md'), join(project, 'elsewhere')])
  await symlink(join(project, 'elsewhere'), join(project, '.claude/skills/zz'))
  await writeFile(join(project, 'script.yaml'), 'turns: [{ say: Here. }]\n')
  const { code, stdout, stderr } = await ext(['run', 'Go.', '--model', 'scripted:script.yaml'], { cwd: project })
  expect(code).toBe(0)
  expect(stdout).toContain('model       Here.')
  expect(stderr).toContain('.claude/skills/pipe/SKILL.md:1:1 error config.file.not-a-file')
  expect(stderr.match(/ error /g)).toHaveLength(1)
})

test('a pipe among the files of sessions is none, and the session beside it is listed and gone on with', async () => {
  const project = await temporaryFolder()
  const home = await temporaryFolder()
  await writeFile(join(project, 'script.yaml'), 'turns: [{ say: Here. }, { say: Still here. }]\n')
  const run = (...args: readonly string[]) =>
    ext(['run', ...args, '--model', 'scripted:script.yaml'], { cwd: project, home })
  expect((await run('Go.')).code).toBe(0)
  const sessions = join(home, '.ext/sessions')
  const [folder = ''] = await readdir(sessions)
  execFileSync('mkfifo', [join(sessions, folder, 'zz.jsonl')])
  const listed = await ext(['sessions', 'list'], { cwd: project, home })
  expect([listed.code, listed.stderr]).toEqual([0, ''])
  expect(listed.stdout).toContain('Go.')
  const { code, stdout, stderr } = await run('--continue', 'And on.')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('model       Still here.')
})
