import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
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
