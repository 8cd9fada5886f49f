import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isAlive } from '../bin.js'
import { boatProject, RELEASE } from './project.js'
import { terminal } from './pty.js'

const UP = '\u001b[A'
const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const CTRL_Z = '\u001a'

/** A model that has a command run for as long as it takes. */
const SLEEPER = {
  turns: [
    { say: 'I wait.', calls: [{ tool: 'Bash', input: { command: 'echo $$ > sleep.pid; sleep 60' } }] },
    { say: 'Back again.', loop: true },
  ],
}

describe('a terminal', () => {
  test('that is closed ends everything, with the exit code of that', async () => {
    const { home, project } = await boatProject(SLEEPER)
    const t = await terminal(['--trust-project', '--allow', 'Bash'], { cwd: project, home })
    await t.until(/scripted:/)
    t.press('Wait.\r')
    await t.until(async () => isAlive(join(project, 'sleep.pid')))
    t.hangUp()
    expect(await t.ended).toBe(129)
    expect(await isAlive(join(project, 'sleep.pid'))).toBe(false)
  })

  test('without a shell behind it goes on at once after Ctrl+Z', async () => {
    const { home, project } = await boatProject(RELEASE)
    const t = await terminal([], { cwd: project, home })
    await t.until(/scripted:/)
    t.press(CTRL_Z)
    await new Promise((resolve) => setTimeout(resolve, 400))
    t.press('/help\r')
    await t.until(/goes on with another session/)
    t.press(CTRL_D)
    expect(await t.ended).toBe(0)
  })
})

describe('keys that would close a question', () => {
  test('Ctrl+D is a no like Ctrl+C, also where a session is chosen, and the session goes on', async () => {
    const { home, project } = await boatProject(RELEASE)
    const t = await terminal(['--trust-project'], { cwd: project, home })
    await t.until(/scripted:/)
    t.press('Release it.\r')
    await t.until(/Allow once/)
    t.press(CTRL_D)
    await t.until(/■ interrupted/)
    t.press('/clear\r/resume\r')
    await t.until(/Which session\?[\s\S]*navigate/)
    t.press(CTRL_D)
    await t.until(/■ {2}Which session/)
    t.press('/cost\r')
    await t.until(/0 turns, 0 tokens in/)
    t.press(CTRL_D)
    expect(await t.ended).toBe(0)
  })

  test('Ctrl+Z leaves it open where no shell could have it go on', async () => {
    const { home, project } = await boatProject(RELEASE)
    const t = await terminal(['--trust-project'], { cwd: project, home })
    await t.until(/scripted:/)
    t.press('Release it.\r')
    await t.until(/Allow once/)
    t.press(CTRL_Z)
    await new Promise((resolve) => setTimeout(resolve, 400))
    t.press(`${UP}\r`)
    await t.until(/done: well formed/)
    t.press(CTRL_C + CTRL_C)
    await t.ended
  })

  test('a window that is closed is a no, and ends everything', async () => {
    const { home, project } = await boatProject({
      turns: [{ calls: [{ tool: 'Bash', input: { command: 'touch made' } }] }, { say: 'Made.', loop: true }],
    })
    const t = await terminal(['--trust-project'], { cwd: project, home })
    await t.until(/scripted:/)
    t.press('Make it.\r')
    await t.until(/Allow once/)
    t.hangUp()
    expect(await t.ended).toBe(129)
    await expect(readFile(join(project, 'made'))).rejects.toThrow('ENOENT')
  })
})
