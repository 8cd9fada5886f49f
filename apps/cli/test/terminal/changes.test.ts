import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { boatProject } from './project.js'
import { terminal } from './pty.js'

const CTRL_D = '\u0004'

const HOOKS = `
hooks:
  - {name: env, event: FileChanged, matcher: .env, action: {type: command, command: "cat >> heard; echo >> heard"}}
  - {name: expand, event: UserPromptExpansion, action: {type: command, command: "cat > expanded"}}
  - {name: guard, event: ConfigChange, matcher: project_settings, action: {type: command, command: "echo frozen >&2; exit 2"}}
`

describe('while nobody says anything', () => {
  test('changes of files are taken over and said, and hooks hear of them', async () => {
    const { home, project } = await boatProject(
      { turns: [{ calls: [{ tool: 'Bash', input: { command: 'echo hi' } }] }, { say: 'Here.', loop: true }] },
      {
        '.env': 'A=1\n',
        '../.ext/config.yaml': HOOKS,
      },
    )
    const t = await terminal(['--trust-project'], { cwd: project, home })
    await t.until(/scripted:/)
    await writeFile(join(project, '.ext/config.local.yaml'), "permissions: {deny: ['Bash(echo hi)']}\n")
    await t.until(/\* \.ext\/config\.local\.yaml is there now \(permissions\); this counts from now on\./)
    await writeFile(join(project, '.ext/config.yaml'), 'model: scripted:.ext/script.json\naudit: {enabled: true}\n')
    await t.until(/\.ext\/config\.yaml has changed, and the hook guard keeps it from being used:\s+frozen/)
    await writeFile(join(project, '.env'), 'A=2\n')
    // The file is there before what is written into it.
    const heard = () => readFile(join(project, 'heard'), 'utf8').catch(() => '')
    await expect.poll(heard, { timeout: 5000 }).toMatch(/\}\s*\n$/)
    expect(JSON.parse((await heard()).trim())).toMatchObject({ change: 'change' })
    t.press('/fold boats\r')
    await t.until(/denied: Bash is denied/)
    await t.until(/Here\./)
    expect(JSON.parse(await readFile(join(project, 'expanded'), 'utf8'))).toMatchObject({
      command_name: 'fold',
      command_args: 'boats',
      command_source: 'project',
    })
    t.press(CTRL_D)
    expect(await t.ended).toBe(0)
  })
})
