import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { ext, temporaryFolder } from '../bin.js'

// What the random projects have found: explain, doctor or trust said something else than what then happened.

async function said(files: Readonly<Record<string, string>>, args: readonly string[]) {
  const project = await temporaryFolder()
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(project, path)), { recursive: true })
    await writeFile(join(project, path), text)
  }
  return ext(args, { cwd: project })
}

it.each([
  ['load_skill', 'there is no skill for it'],
  ['agent', 'there is no agent that it could start'],
  ['NotebookEdit', 'ext has no such tool'],
  ['mcp__none__x', 'its server is missing'],
])('explain says of %s that the model is not offered it', async (tool, why) => {
  const { stdout } = await said({}, ['explain', tool, '--input', '{}'])
  expect(stdout).toMatch(new RegExp(`^The model is not offered ${tool}: ${why}\\. If it were:\n\n`))
  const { stdout: json } = await said({}, ['explain', tool, '--input', '{}', '--json'])
  expect(JSON.parse(json).notOffered).toBe(why)
})

it('explain says of load_skill and of a server’s tool that it is offered where it is', async () => {
  const files = {
    '.claude/skills/it/SKILL.md': '---\nname: it\ndescription: Does it.\n---\nDo it.\n',
    '.mcp.json': '{"mcpServers":{"one":{"command":"true","tools":{"deny":["no"]}}}}',
  }
  const whyNot = async (tool: string) => {
    const args = ['explain', tool, '--input', '{}', '--trust-project', '--json']
    return JSON.parse((await said(files, args)).stdout).notOffered
  }
  expect(await whyNot('load_skill')).toBeUndefined()
  expect(await whyNot('mcp__one__yes')).toBeUndefined()
  expect(await whyNot('mcp__one__no')).toMatch(/deny/)
})

it('explain judges tools that look after the session as sessions do', async () => {
  const { stdout } = await said({}, ['explain', 'task_list', '--input', '{}', '--json'])
  expect(JSON.parse(stdout).permission).toMatchObject({ behavior: 'allow', decidedBy: { layer: 'mode' } })
})

it('trust list calls modes and folders as doctor does, so that one of two can be approved', async () => {
  const permissions = { defaultMode: 'acceptEdits', additionalDirectories: ['../docs'] }
  const files = {
    '.claude/settings.json': JSON.stringify({ permissions }),
    '.ext/config.yaml': 'permissions: {mode: bypassPermissions}\n',
  }
  const names = async (args: readonly string[], of: string) => {
    const { stdout } = await said(files, [...args, '--json'])
    const found = JSON.parse(stdout)[of] as readonly { readonly name: string }[]
    return found.map(({ name }) => name).toSorted()
  }
  const waiting = await names(['trust', 'list'], 'pending')
  expect(waiting).toEqual(['directory ../docs', 'mode acceptEdits', 'mode bypassPermissions'])
  expect(await names(['doctor'], 'entries')).toEqual(waiting)
})
