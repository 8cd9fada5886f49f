import { readFile } from 'node:fs/promises'
import type { FolderSource } from '@ext/kernel'
import { describe, expect, test } from 'vitest'
import { codes, fire, load, only, project, scene, texts } from '../support.js'

const plugin = (path: string): FolderSource => ({ kind: 'folder', layer: 'plugin', dialect: 'claude-plugin', path })
const handler = (command: string, more = {}) => ({ type: 'command', command, ...more })
const stop = (...handlers: unknown[]) => ({ Stop: [{ hooks: handlers }] })
const file = (hooks: unknown) => JSON.stringify({ description: 'x', hooks })

describe('a plugin', () => {
  test('brings the hooks of hooks/hooks.json, with its folders as variables', async () => {
    const root = await project({
      'hooks/hooks.json': file(
        stop(handler('printf "%s|%s" "$CLAUDE_PLUGIN_ROOT" "$CLAUDE_PLUGIN_DATA"; pwd > /dev/null')),
      ),
    })
    const at = await scene([plugin(root)], { approved: () => true, pluginData: (of) => `${of}/data` })
    expect(at.hooks.diagnostics).toEqual([])
    expect(texts((await fire(at, 'Stop')).notices)).toEqual([`${root}|${root}/data`])
  })

  test('has its folders put into arguments as they are', async () => {
    const root = await project({
      'hooks/hooks.json': file(
        stop(handler('${CLAUDE_PLUGIN_ROOT}/say.sh', { args: ['${CLAUDE_PLUGIN_ROOT} $(id) ${HOME}'] })),
      ),
      'say.sh': '#!/bin/sh\nprintf %s "$1"',
    })
    const at = await scene([plugin(root)], { approved: () => true })
    expect(texts((await fire(at, 'Stop')).notices)).toEqual([`${root} $(id) \${HOME}`])
  })

  // anthropics/claude-code#10871, #24115, #88650: plugin hooks ran twice.
  test('whose manifest names the file again has its hooks once', async () => {
    const root = await project({
      '.claude-plugin/plugin.json': JSON.stringify({ name: 'p', hooks: ['./hooks/hooks.json', './more.json'] }),
      'hooks/hooks.json': file(stop(handler('echo one'))),
      'more.json': file(stop(handler('echo two'))),
    })
    const hooks = await load([plugin(root), plugin(root)], { approved: () => true })
    expect(hooks.snapshot.entries).toHaveLength(2)
    expect(hooks.diagnostics).toEqual([])
  })

  test('may have its hooks in the manifest', async () => {
    for (const hooks of [stop(handler('echo one')), { hooks: stop(handler('echo one')) }]) {
      const root = await project({ '.claude-plugin/plugin.json': JSON.stringify({ name: 'p', hooks }) })
      expect((await load([plugin(root)], { approved: () => true })).snapshot.entries).toHaveLength(1)
    }
  })

  test('can’t name files outside of itself', async () => {
    for (const path of ['../x.json', '/etc/x.json', 5]) {
      const root = await project({ '.claude-plugin/plugin.json': JSON.stringify({ hooks: path }) })
      expect(only(await load([plugin(root)]))).toMatchObject({ code: 'hooks.plugin.path', source: { line: 1 } })
    }
  })

  // anthropics/claude-code#29724: of two plugins with the same command, the second one's hook was dropped.
  test('runs beside another one with the same command', async () => {
    const hooks = file(stop(handler('sh "$CLAUDE_PLUGIN_ROOT/hook.sh"')))
    const [a, b] = [
      await project({ 'hooks/hooks.json': hooks, 'hook.sh': 'echo a' }),
      await project({ 'hooks/hooks.json': hooks, 'hook.sh': 'echo b' }),
    ]
    const at = await scene([plugin(a), plugin(b)], { approved: () => true })
    expect(at.hooks.diagnostics).toEqual([])
    expect(texts((await fire(at, 'Stop')).notices)).toEqual(['a', 'b'])
  })

  test('waits for approval like a project', async () => {
    const root = await project({ 'hooks/hooks.json': file(stop(handler('touch ran'))) })
    const at = await scene([plugin(root)])
    expect(codes(at.hooks)).toEqual(['config.entry.untrusted'])
    expect(at.hooks.snapshot.records).toMatchObject([{ verdict: 'untrusted', source: { line: 1 } }])
    await expect(readFile(`${at.root}/ran`)).rejects.toThrow('ENOENT')
  })

  test('without its folders, or in a settings file, the variables are said to be missing', async () => {
    const root = await project({ 'hooks/hooks.json': file(stop(handler('"$CLAUDE_PLUGIN_DATA"/x'))) })
    expect(codes(await load([plugin(root)], { approved: () => true }))).toEqual(['hooks.env.unset'])
    expect((await load([plugin(`${root}/none`)])).diagnostics).toEqual([])
  })
})
