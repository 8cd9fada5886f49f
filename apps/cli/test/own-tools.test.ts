import { existsSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ContentBlock, JsonObject } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from './bin.js'
import { runEvents } from './events.js'

interface Call {
  readonly tool: string
  readonly input: JsonObject
}

/** A project of these files in which a model makes these calls, one after another. */
async function played(
  files: Readonly<Record<string, string>>,
  permissions: JsonObject,
  calls: readonly Call[],
  flags: readonly string[] = [],
) {
  const project = await temporaryFolder()
  const turns = [...calls.map((call) => ({ calls: [call] })), { say: 'bye' }]
  const all = {
    ...files,
    '.ext/config.yaml': JSON.stringify({ permissions, model: 'scripted:.ext/script.json' }),
    '.ext/script.json': JSON.stringify({ turns }),
  }
  for (const [name, content] of Object.entries(all)) {
    await mkdir(dirname(join(project, name)), { recursive: true })
    await writeFile(join(project, name), content)
  }
  await symlink('../.env', join(project, 'src/open')).catch(() => {})
  const { of, stderr } = await runEvents(project, ['--trust-project', ...flags])
  const texts = of('tool_result').map(({ content }) => textOf(content))
  return {
    project,
    of,
    stderr,
    texts,
    tools: of('session_start')[0]?.tools,
    behaviors: of('permission').map(({ behavior }) => behavior),
  }
}

function textOf(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('\n')
}

const FILES = { 'src/boat.ts': 'export const boats = 1\n', 'docs/a.md': 'boats\n', '.env': 'boats=secret\n' }

describe('the tools of ext run', () => {
  it('read, find, search, change and write files', async () => {
    const { texts, project, tools } = await played(FILES, { allow: ['Read', 'Edit(src/**)'] }, [
      { tool: 'Glob', input: { pattern: 'src/*.ts' } },
      { tool: 'Grep', input: { pattern: 'boats', output_mode: 'content', path: 'src' } },
      { tool: 'Read', input: { file_path: 'src/boat.ts' } },
      { tool: 'Edit', input: { file_path: 'src/boat.ts', old_string: '= 1', new_string: '= 2' } },
      { tool: 'Write', input: { file_path: 'src/new/ship.ts', content: 'export {}\n' } },
    ])
    expect(tools).toEqual(['Bash', 'Edit', 'Glob', 'Grep', 'Read', 'WebFetch', 'Write'])
    expect(texts).toEqual([
      'src/boat.ts',
      'src/boat.ts:1:export const boats = 1',
      '     1\texport const boats = 1',
      '`src/boat.ts` is changed:\n     1\texport const boats = 2',
      '`src/new/ship.ts` is written: a new file of 1 line.',
    ])
    expect(await readFile(join(project, 'src/boat.ts'), 'utf8')).toBe('export const boats = 2\n')
  })

  it('are held by the rules: what may not be read is not found either, and Edit(src/**) is no other folder', async () => {
    const { texts, behaviors, project } = await played(
      FILES,
      { allow: ['Read', 'Edit(src/**)'], deny: ['Read(.env)'], ask: ['Read(docs/**)'] },
      [
        { tool: 'Read', input: { file_path: '.env' } },
        { tool: 'Read', input: { file_path: 'src/open' } },
        { tool: 'Glob', input: { pattern: '**/.env' } },
        { tool: 'Grep', input: { pattern: '^(export const )?boats' } },
        { tool: 'Glob', input: { pattern: '**' } },
        { tool: 'Write', input: { file_path: 'docs/new.md', content: 'x' } },
        { tool: 'Write', input: { file_path: 'src/../docs/new.md', content: 'x' } },
        { tool: 'Write', input: { file_path: 'src/new.md', content: 'x' } },
        { tool: 'Write', input: { file_path: 'src/.git/hooks/pre-commit', content: 'x' } },
      ],
    )
    expect(behaviors).toEqual(['deny', 'deny', 'deny', 'allow', 'allow', 'deny', 'deny', 'allow', 'deny'])
    expect(texts[3]).toBe('src/boat.ts\n[left out, since they may not be read: 2 files]')
    expect(texts[4]).toBe(
      '.ext/config.yaml\n.ext/script.json\nsrc/boat.ts\n[left out, since they may not be read: 2 files]',
    )
    expect(existsSync(join(project, 'docs/new.md'))).toBe(false)
  })

  it('leave out of a search what only a question would open, also where nothing is asked', async () => {
    const calls = [{ tool: 'Grep', input: { pattern: '^(export const )?boats' } }]
    const { texts } = await played(FILES, { mode: 'bypassPermissions', ask: ['Read(.env)'] }, calls)
    expect(texts).toEqual(['docs/a.md\nsrc/boat.ts\n[left out, since they may not be read: 1 file]'])
  })

  it('stay in the workspace, whatever is allowed, and reach the folders that configuration adds', async () => {
    const outside = await temporaryFolder()
    await writeFile(join(outside, 'note.txt'), 'outside\n')
    const call = { tool: 'Read', input: { file_path: join(outside, 'note.txt') } }
    const closed = await played(FILES, { allow: ['Read'] }, [call])
    expect(closed.behaviors).toEqual(['allow'])
    expect(closed.texts[0]).toContain('outside the folders in which files may be touched')
    const open = await played(FILES, { allow: ['Read'], additionalDirectories: [outside] }, [call])
    expect(open.texts).toEqual(['     1\toutside'])
  })

  it('fetch nothing that is not public', async () => {
    const { texts, behaviors } = await played(FILES, { allow: ['WebFetch(domain:127.0.0.1)'] }, [
      { tool: 'WebFetch', input: { url: 'http://127.0.0.1:8080/' } },
      { tool: 'WebFetch', input: { url: 'https://example.com/' } },
    ])
    expect(behaviors).toEqual(['allow', 'deny'])
    expect(texts[0]).toContain('not public')
  })

  it('fit what hooks and rules are written for, so nothing is said about matchers that name them', async () => {
    const { stderr } = await played(
      {
        ...FILES,
        '.claude/settings.json': JSON.stringify({
          hooks: {
            PreToolUse: [
              { matcher: 'Read|Edit|Write|Glob|Grep|WebFetch', hooks: [{ type: 'command', command: 'true' }] },
            ],
          },
        }),
      },
      { allow: ['Read'] },
      [{ tool: 'Read', input: { file_path: 'docs/a.md' } }],
    )
    expect(stderr).not.toContain('hooks.matcher')
  })
})
