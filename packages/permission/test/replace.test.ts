import type { FilesPort } from '@ext/kernel'
import { memoryFiles } from '@ext/kernel/testing'
import { describe, expect, test } from 'vitest'
import { bash, permissionWith, rulesOf, session } from './support.js'

describe('replacing the rules', () => {
  test('takes effect in sessions that are open, from their next decision on', async () => {
    const permission = await permissionWith({ rules: { allow: ['Bash(ls)'] } })
    const sessions = [permission.session(session()), permission.session(session({ id: 'b', cwd: '/other' }))]
    const verdicts = () => sessions.map((each) => each.decide(bash('ls')).behavior)
    expect(verdicts()).toEqual(['allow', 'allow'])
    const before = permission.snapshot
    await permission.replace([rulesOf({ deny: ['Bash(ls)'], mode: 'plan' })])
    expect(verdicts()).toEqual(['deny', 'deny'])
    expect(permission.snapshot).not.toBe(before)
    expect(permission.defaultMode).toBe('plan')
  })

  test('shows the old rules until the new ones are complete, and never a mixture', async () => {
    const gates: (() => void)[] = []
    const files: FilesPort = {
      ...memoryFiles({ '/new.yaml': 'permissions: {deny: [Bash(ls), Bash(id)]}' }),
      readText: async () => {
        await new Promise<void>((resolve) => gates.push(resolve))
        return { text: 'permissions: {deny: [Bash(ls), Bash(id)]}' }
      },
    }
    const permission = await permissionWith({ rules: { allow: ['Bash(ls)', 'Bash(id)'] }, files })
    const here = permission.session(session())
    const verdicts = () => ['ls', 'id'].map((line) => here.decide(bash(line)).behavior)
    const done = permission.replace([{ kind: 'file', layer: 'user', dialect: 'ext', path: '/new.yaml' }])
    await expect.poll(() => gates.length).toBe(1)
    expect(verdicts()).toEqual(['allow', 'allow'])
    gates[0]?.()
    await done
    expect(verdicts()).toEqual(['deny', 'deny'])
  })

  test('the last of several calls counts, though the first one takes longer', async () => {
    const gates = new Map<string, () => void>()
    const files: FilesPort = {
      ...memoryFiles({}),
      readText: async (path) => {
        if (path === '/allow.yaml') await new Promise<void>((resolve) => gates.set(path, resolve))
        return { text: `permissions: {${path.slice(1, -5)}: [Bash(ls)]}` }
      },
    }
    const permission = await permissionWith({ files })
    const load = (path: string) => permission.replace([{ kind: 'file', layer: 'user', dialect: 'ext', path }])
    const both = Promise.all([load('/allow.yaml'), load('/deny.yaml')])
    await expect.poll(() => gates.size).toBe(1)
    gates.get('/allow.yaml')?.()
    await both
    expect(permission.session(session()).decide(bash('ls')).behavior).toBe('deny')
  })

  test('with a file that is broken now keeps its rules, and asks for what it may forbid', async () => {
    const content: Record<string, string> = { '/u.yaml': 'permissions: {allow: [Bash(ls)], deny: [Bash(rm *)]}' }
    const files: FilesPort = { ...memoryFiles({}), readText: (path) => memoryFiles(content).readText(path) }
    const permission = await permissionWith({ files })
    const layers = [{ kind: 'file', layer: 'user', dialect: 'ext', path: '/u.yaml' }] as const
    await permission.replace(layers)
    const here = permission.session(session())
    const verdicts = () => ['ls', 'rm x'].map((line) => here.decide(bash(line)).behavior)
    expect(verdicts()).toEqual(['allow', 'deny'])
    content['/u.yaml'] = 'permissions: {deny: ['
    await permission.replace(layers)
    expect(verdicts()).toEqual(['ask', 'deny'])
    expect(permission.diagnostics.map(({ code }) => code)).toContain('config.entry.last-good')
    content['/u.yaml'] = 'permissions: {deny: [Bash(ls)]}'
    await permission.replace(layers)
    expect(verdicts()).toEqual(['deny', 'ask'])
  })

  test('that fails changes nothing', async () => {
    const permission = await permissionWith({ rules: { allow: ['Bash(ls)'] } })
    await expect(permission.replace([{ ...rulesOf({}), dialect: 'toml' }])).rejects.toThrow()
    expect(permission.session(session()).decide(bash('ls')).behavior).toBe('allow')
  })
})
