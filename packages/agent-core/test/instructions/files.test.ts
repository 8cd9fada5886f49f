import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nodeFiles } from '@ext/kernel/node'
import { describe, expect, it } from 'vitest'
import { type InstructionFilesOptions, instructionFiles } from '../../src/instructions/index.js'
import { temporaryFolder } from '../sessions/kit.js'

function project(files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder()
  for (const [path, text] of Object.entries({ 'repo/.git/HEAD': '', ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

async function load(root: string, cwd: string, options: Partial<InstructionFilesOptions> = {}) {
  const { signal } = new AbortController()
  const source = instructionFiles({ files: nodeFiles(), ...options })
  const { files, notices } = await source.load(join(root, cwd), { signal })
  const short = (text: string) => text.replaceAll(`${root}/`, '')
  return {
    files: files.map(({ path, kind, reason, text }) => [short(path), kind, reason, text]),
    notices: notices.map(short),
  }
}

describe('instruction files', () => {
  it('are those from the root of the repository down to the working folder, the nearest last, the person’s own first', async () => {
    const root = project({
      'AGENTS.md': 'outside',
      'repo/AGENTS.md': 'root',
      'repo/CLAUDE.md': 'claude root',
      'repo/CLAUDE.local.md': 'mine',
      'repo/a/.claude/CLAUDE.md': 'hidden',
      'repo/a/b/AGENTS.md': 'near',
      'repo/a/b/c/AGENTS.md': 'below',
      'home/.ext/AGENTS.md': 'always',
    })
    const user = [join(root, 'home/.ext/AGENTS.md'), join(root, 'home/.claude/CLAUDE.md')]
    expect(await load(root, 'repo/a/b', { user })).toEqual({
      files: [
        ['home/.ext/AGENTS.md', 'User', 'session_start', 'always'],
        ['repo/AGENTS.md', 'Project', 'session_start', 'root'],
        ['repo/CLAUDE.md', 'Project', 'session_start', 'claude root'],
        ['repo/CLAUDE.local.md', 'Local', 'session_start', 'mine'],
        ['repo/a/.claude/CLAUDE.md', 'Project', 'session_start', 'hidden'],
        ['repo/a/b/AGENTS.md', 'Project', 'session_start', 'near'],
      ],
      notices: [],
    })
  })

  it('are not looked for where their names are left out, unless another file names them', async () => {
    const root = project({
      'repo/AGENTS.md': '@CLAUDE.md',
      'repo/CLAUDE.md': 'claude',
      'repo/CLAUDE.local.md': 'mine',
      'repo/a/CLAUDE.md': 'near',
    })
    const { files } = await load(root, 'repo/a', { leaveOut: ['CLAUDE.md', 'CLAUDE.local.md'] })
    expect(files.map(([path, , reason]) => [path, reason])).toEqual([
      ['repo/AGENTS.md', 'session_start'],
      ['repo/CLAUDE.md', 'include'],
    ])
  })

  it('outside of a repository are those of the working folder only', async () => {
    const root = project({ 'x/AGENTS.md': 'above', 'x/y/AGENTS.md': 'here', 'x/y/CLAUDE.md': '  \n' })
    expect((await load(root, 'x/y')).files).toEqual([['x/y/AGENTS.md', 'Project', 'session_start', 'here']])
    expect(await load(root, 'x/nothing')).toEqual({ files: [], notices: [] })
  })

  it('that are one and the same by a link are there once', async () => {
    const root = project({ 'repo/AGENTS.md': 'one' })
    symlinkSync('AGENTS.md', join(root, 'repo/CLAUDE.md'))
    expect((await load(root, 'repo')).files).toHaveLength(1)
  })

  it('of a project can’t be links that lead out of it', async () => {
    const root = project({ 'secrets/key': 'do not read', 'repo/sub/x.md': 'inside' })
    symlinkSync(join(root, 'secrets/key'), join(root, 'repo/AGENTS.md'))
    symlinkSync(join(root, 'secrets'), join(root, 'repo/.claude'))
    writeFileSync(join(root, 'secrets/CLAUDE.md'), 'nor this')
    symlinkSync('../repo/sub/x.md', join(root, 'repo/CLAUDE.md'))
    expect(await load(root, 'repo')).toEqual({
      files: [['repo/CLAUDE.md', 'Project', 'session_start', 'inside']],
      notices: [
        'repo/AGENTS.md is left out: it leads out of the project, to secrets/key.',
        'repo/.claude/CLAUDE.md is left out: it leads out of the project, to secrets/CLAUDE.md.',
      ],
    })
  })

  it('that are too long are cut between two lines, which is said in the text and to the user', async () => {
    const root = project({ 'repo/AGENTS.md': `${'wört\n'.repeat(30)}end` })
    const { files, notices } = await load(root, 'repo', { maxFileBytes: 50 })
    expect(notices).toEqual(['repo/AGENTS.md is cut after 47 of 183 bytes: a file may have 50.'])
    expect(files[0]?.[3]).toBe(`${'wört\n'.repeat(8)}[cut: the file has 183 bytes, and a file may have 50]`)
    const long = project({ 'repo/AGENTS.md': 'x'.repeat(1024 * 1024 + 1) })
    expect(await load(long, 'repo')).toMatchObject({
      files: [],
      notices: [expect.stringContaining('the limit is 1048576')],
    })
  })

  it('that are too many for all limits lose the farthest first', async () => {
    const root = project({
      'repo/AGENTS.md': 'far '.repeat(20),
      'repo/a/AGENTS.md': 'middle '.repeat(10),
      'repo/a/b/AGENTS.md': 'near '.repeat(20),
    })
    const { files, notices } = await load(root, 'repo/a/b', { maxBytes: 120 })
    expect(files.map(([path]) => path)).toEqual(['repo/a/AGENTS.md', 'repo/a/b/AGENTS.md'])
    expect(notices).toEqual([
      'repo/AGENTS.md is left out: it has 80 bytes, and all files together may have 120.',
      'repo/a/AGENTS.md is cut after 20 of 70 bytes: all files together may have 120.',
    ])
  })

  it('that can’t be read are said, and cost only themselves', async () => {
    const root = project({ 'repo/CLAUDE.md': 'fine' })
    mkdirSync(join(root, 'repo/AGENTS.md'))
    writeFileSync(join(root, 'repo/CLAUDE.local.md'), Buffer.from([0xff, 0xfe, 0x00]))
    expect(await load(root, 'repo')).toEqual({
      files: [['repo/CLAUDE.md', 'Project', 'session_start', 'fine']],
      notices: [
        'repo/AGENTS.md is left out: A folder stands where a file is expected.',
        'repo/CLAUDE.local.md is left out: The file is not valid UTF-8.',
      ],
    })
  })
})

describe('a file that another one names', () => {
  it('stands behind it, and nothing of it is run', async () => {
    const root = project({
      'repo/CLAUDE.md': 'Read @AGENTS.md, (@docs/style.md) and @docs/deep.md.\nAsk @alice or mail bob@example.com.',
      'repo/docs/style.md': 'Style. !`touch ran`',
      'repo/docs/deep.md': 'See @../more.md and @deep.md',
      'repo/more.md': 'More.',
    })
    // AGENTS.md is no file here, and looks like one.
    expect(await load(root, 'repo')).toEqual({
      files: [
        ['repo/CLAUDE.md', 'Project', 'session_start', expect.stringContaining('Read @AGENTS.md')],
        ['repo/docs/style.md', 'Project', 'include', 'Style. !`touch ran`'],
        ['repo/docs/deep.md', 'Project', 'include', 'See @../more.md and @deep.md'],
        ['repo/more.md', 'Project', 'include', 'More.'],
      ],
      notices: ['@AGENTS.md in repo/CLAUDE.md: there is no such file, so it is left out.'],
    })
  })

  it('is not looked for in code', async () => {
    const root = project({
      'repo/AGENTS.md': 'Use `@a.md`.\n```\n@b.md\n```\n~~~js\nimport x from @c.md\n~~~\n@d.md',
      'repo/a.md': 'a',
      'repo/b.md': 'b',
      'repo/c.md': 'c',
      'repo/d.md': 'd',
    })
    expect((await load(root, 'repo')).files.slice(1)).toEqual([['repo/d.md', 'Project', 'include', 'd']])
  })

  it('has to lie in the project if a file of the project names it, and not if the person’s own does', async () => {
    const root = project({
      'home/AGENTS.md': 'Mine: @~/notes.md',
      'home/notes.md': 'notes',
      'repo/AGENTS.md': '@/etc/hostname @../home/notes.md @~/notes.md',
    })
    const options = { user: [join(root, 'home/AGENTS.md')], home: join(root, 'home') }
    const { files, notices } = await load(root, 'repo', options)
    expect(files.map(([path]) => path)).toEqual(['home/AGENTS.md', 'home/notes.md', 'repo/AGENTS.md'])
    expect(notices).toEqual([
      '@/etc/hostname in repo/AGENTS.md is left out: it leads out of the project, to /etc/hostname.',
    ])
  })

  it('may name others, but not for ever', async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`repo/${index}.md`, `@${index + 1}.md`] as const),
    )
    const root = project({ ...chain, 'repo/AGENTS.md': '@0.md' })
    const { files, notices } = await load(root, 'repo')
    expect(files.map(([path]) => path)).toEqual(['AGENTS', '0', '1', '2', '3', '4'].map((name) => `repo/${name}.md`))
    expect(notices).toEqual(['@5.md in repo/4.md is left out: files may name files 5 deep.'])
    const many = Array.from({ length: 120 }, (_, index) => [`repo/n${index}.md`, 'x'] as const)
    const wide = project({
      ...Object.fromEntries(many),
      'repo/AGENTS.md': many.map((_, index) => `@n${index}.md`).join(' '),
    })
    const loaded = await load(wide, 'repo')
    expect([loaded.files.length, loaded.notices.length]).toEqual([100, 21])
  })
})
