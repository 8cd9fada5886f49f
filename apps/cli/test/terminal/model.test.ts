import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { boatProject } from './project.js'
import { terminal } from './pty.js'

const UP = '\u001b[A'
const CTRL_D = '\u0004'

test('another model asks nothing again that was allowed in this session, and a session that begins anew does', async () => {
  const check = { calls: [{ tool: 'Bash', input: { command: 'node check.mjs 1.2.0' } }] }
  const turns = [check, { say: 'Checked.' }]
  const { home, project } = await boatProject(
    { turns: [...turns, ...turns, ...turns, { say: 'No more.', loop: true }] },
    { 'other.json': JSON.stringify({ turns: [...turns, ...turns, { say: 'No more.', loop: true }] }) },
  )
  const t = await terminal(['--trust-project'], { cwd: project, home })
  const times = (text: string, n: number) => (shown: string) => shown.split(text).length - 1 >= n
  await t.until(/scripted:/)
  t.press('Check it.\r')
  await t.until(/Deny, and say why/)
  t.press(`${UP}${UP}\r`)
  await t.until(/Checked\./)
  t.press('/model scripted:other.json\r')
  await t.until(/The model is scripted:.*other/)
  t.press('/permissions\r')
  expect(await t.until(/until the session ends/)).toContain('You said yes')
  t.press('Check it again.\r')
  // A question would stay open here.
  await t.until(times('Checked.', 2))

  t.press('/clear\r')
  await t.until(/Nothing of the conversation is left/)
  t.press('Check it a third time.\r')
  await t.until(/Deny, and say why/)
  t.press('\r')
  await t.until(times('Checked.', 3))
  t.press(CTRL_D)
  expect(await t.ended).toBe(0)
})

test('another model begins a new conversation, and says so, where the log of this one is gone', async () => {
  const { home, project } = await boatProject({ turns: [{ say: 'Here.', loop: true }] })
  const t = await terminal(['--trust-project'], { cwd: project, home })
  await t.until(/scripted:/)
  t.press('Hello.\r')
  await t.until(/Here\.\n\s+1 turn/)
  await rm(join(home, '.ext/sessions'), { recursive: true })
  t.press('/model scripted:.ext/script.json\r')
  await t.until(/a new conversation\s+begins/)
  t.press('Once more.\r')
  await t.until(/Once more\.[\s\S]*Here\.\n\s+1 turn/)
  t.press(CTRL_D)
  expect(await t.ended).toBe(0)
})
