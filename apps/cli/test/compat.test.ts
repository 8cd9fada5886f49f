import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Diagnostic, EntryRecord } from '@ext/kernel'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CLAUDE_PARTS, type ClaudePart, loadCompat } from '../src/compat/switches.js'
import { ext, temporaryFolder } from './bin.js'

/** A home and a project with something of each kind in both. */
async function everything() {
  const home = await temporaryFolder()
  const project = await temporaryFolder()
  const write = async (file: string, text: string) => {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  for (const [root, name, command] of [
    [home, 'mine', 'true'],
    [project, 'theirs', 'exit 0'],
  ] as const) {
    const hook = { hooks: [{ type: 'command', command }] }
    const settings = { permissions: { deny: [`Bash(${name} *)`] }, hooks: { Stop: [hook] } }
    await write(join(root, '.claude/settings.json'), JSON.stringify(settings))
    await write(join(root, `.claude/skills/${name}/SKILL.md`), '---\ndescription: Notes.\n---\nWrite.\n')
    await write(join(root, `.claude/agents/${name}.md`), '---\ndescription: Works.\n---\nWork.\n')
  }
  await write(join(project, '.mcp.json'), '{ "mcpServers": { "theirs": { "command": "node" } } }')
  await write(join(project, '.ext/skills/ours/SKILL.md'), '---\ndescription: Notes.\n---\nWrite.\n')
  const found = async () => {
    const { stdout } = await ext(['doctor', '--json', '--trust-project', '--project', project], { home })
    const { entries, diagnostics } = JSON.parse(stdout) as { entries: EntryRecord[]; diagnostics: Diagnostic[] }
    const names = entries
      .filter(({ axis }) => axis !== 'compat')
      .map(({ axis, name, source }) => `${source.layer} ${axis} ${name}`)
    return { names: names.toSorted(), diagnostics, entries }
  }
  return { home, project, write, found }
}

const OF_USER = ['user agents mine', 'user hooks true', 'user permissions deny Bash(mine *)', 'user skills mine']
const OF_PROJECT = [
  'project agents theirs',
  'project hooks exit',
  'project permissions deny Bash(theirs *)',
  'project servers theirs',
  'project skills theirs',
]
const OURS = 'project skills ours'

describe('compat', () => {
  it('reads the files of Claude Code unless it is switched off, by the person for all projects', async () => {
    const { home, write, found } = await everything()
    expect((await found()).names).toEqual([...OF_USER, ...OF_PROJECT, OURS].toSorted())
    await write(join(home, '.ext/config.yaml'), 'compat: { claude: false }\n')
    const { names, diagnostics } = await found()
    expect(names).toEqual([OURS])
    expect(diagnostics).toMatchObject([
      { code: 'cli.compat.off', severity: 'info', source: { file: join(home, '.ext/config.yaml'), line: 1 } },
    ])
    expect(diagnostics[0]?.message).toContain('.claude/settings.json')
  })

  it.each([
    ['hooks', 'hooks exit'],
    ['permissions', 'permissions deny Bash(theirs *)'],
    ['mcpServers', 'servers theirs'],
    ['skills', 'skills theirs'],
    ['agents', 'agents theirs'],
  ])('takes out %s alone, and those of a project only where the project says so', async (part, gone) => {
    const { project, write, found } = await everything()
    await write(join(project, '.ext/config.yaml'), `compat: { claude: { ${part}: false } }\n`)
    const { names, diagnostics, entries } = await found()
    expect(names).toEqual([...OF_USER, ...OF_PROJECT, OURS].filter((each) => each !== `project ${gone}`).toSorted())
    expect(diagnostics.map(({ code }) => code)).toEqual(['cli.compat.off'])
    expect(diagnostics[0]?.hint).toContain('Your own')
    expect(entries.find(({ axis }) => axis === 'compat')).toMatchObject({
      name: `compat.claude.${part}`,
      verdict: 'loaded',
      source: { line: 1 },
    })
  })

  it('leaves CLAUDE.md out of the prompt and AGENTS.md in it', async () => {
    const { home, project, write } = await everything()
    await write(join(project, 'AGENTS.md'), 'ours')
    await write(join(project, 'CLAUDE.md'), 'theirs')
    await write(join(project, 'CLAUDE.local.md'), 'local')
    await write(join(home, '.claude/CLAUDE.md'), 'mine')
    await write(join(project, 'script.yaml'), 'turns:\n  - say: Done.\n')
    const texts = async () => {
      const run = ['run', 'go', '--model', 'scripted:script.yaml', '--output', 'stream-json']
      const { stdout } = await ext(run, { home, cwd: project })
      return stdout.split('\n').flatMap((line) => {
        const event = line === '' ? {} : (JSON.parse(line) as { type?: string; text?: string })
        return event.type === 'context' && /^(?:ours|theirs|local|mine)$/.test(event.text ?? '') ? [event.text] : []
      })
    }
    expect(await texts()).toEqual(['mine', 'ours', 'theirs', 'local'])
    // The one that is not committed is the person's.
    await write(join(project, '.ext/config.yaml'), 'compat: { claude: { instructions: false } }\n')
    expect(await texts()).toEqual(['mine', 'ours', 'local'])
    await write(join(home, '.ext/config.yaml'), 'compat: { claude: { instructions: false } }\n')
    expect(await texts()).toEqual(['ours'])
  })

  it('also holds for ext mcp, and for what explains and checks rules', async () => {
    const { home, project, write } = await everything()
    await write(join(project, '.ext/config.yaml'), 'compat: { claude: { mcpServers: false, permissions: false } }\n')
    const list = await ext(['mcp', 'list', '--json', '--project', project], { home })
    expect(JSON.parse(list.stdout)).toMatchObject({ servers: [] })
    const explain = await ext(
      ['explain', 'Bash', '--input', '{"command":"theirs now"}', '--json', '--project', project],
      { home },
    )
    expect(JSON.parse(explain.stdout)).toMatchObject({ permission: { behavior: 'ask' } })
    const own = await ext(['explain', 'Bash', '--input', '{"command":"mine now"}', '--json', '--project', project], {
      home,
    })
    expect(JSON.parse(own.stdout)).toMatchObject({ permission: { behavior: 'deny' } })
  })

  it('names what it does not know, with the place and what was meant, and reads the files all the same', async () => {
    const { project, write, found } = await everything()
    await write(
      join(project, '.ext/config.yaml'),
      'compat:\n  claud: false\n  claude:\n    hook: false\n    skills: no thanks\n',
    )
    const { names, diagnostics } = await found()
    expect(names).toEqual([...OF_USER, ...OF_PROJECT, OURS].toSorted())
    expect(diagnostics).toMatchObject([
      { code: 'cli.compat.invalid', hint: 'Did you mean `claude`?', source: { line: 2 } },
      { code: 'cli.compat.invalid', hint: 'Did you mean `hooks`?', source: { line: 4 } },
      { code: 'cli.compat.invalid', source: { line: 5 } },
    ])
  })

  it('lets nobody but the person and the administrator switch off what is the person’s, whatever stands where', async () => {
    const layers = ['user', 'project', 'local', 'managed'] as const
    const value = fc.option(
      fc.oneof(fc.boolean(), fc.dictionary(fc.constantFrom(...CLAUDE_PARTS), fc.boolean(), { maxKeys: 3 })),
    )
    const files = { readText: () => Promise.reject(new Error('no file')) } as never
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(value, value, value, value),
        fc.constantFrom(...CLAUDE_PARTS),
        async (values, part: ClaudePart) => {
          const sources = layers.map(
            (layer, index) =>
              ({
                kind: 'value',
                layer,
                dialect: 'ext',
                name: layer,
                value: { compat: { claude: values[index] } },
              }) as const,
          )
          const says = (layer: (typeof layers)[number]) => {
            const said = values[layers.indexOf(layer)]
            return typeof said === 'object' ? said?.[part] : said
          }
          const compat = await loadCompat(
            sources.filter(({ value: { compat: section } }) => section.claude !== null),
            files,
          )
          const off = (layer: 'user' | 'project' | 'local') => compat.offBy(part, layer) !== undefined
          const managed = says('managed')
          if (managed !== undefined && managed !== null) {
            expect([off('user'), off('project'), off('local')]).toEqual([!managed, !managed, !managed])
          } else if (says('user') === false) {
            expect([off('user'), off('project'), off('local')]).toEqual([true, true, true])
          } else {
            expect(off('user')).toBe(false)
            expect(off('local')).toBe(says('local') === false)
            expect(off('project')).toBe((says('local') ?? says('project')) === false)
          }
        },
      ),
      { seed: 11, numRuns: 300 },
    )
  })
})
