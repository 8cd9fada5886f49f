import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fakeClock } from '@ext/kernel/testing'
import type { WorkFilesPort } from '@ext/kernel/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PORTS, put, type Workspace, workspace, workspaceIn } from './tool-kit.js'

const PROJECT = {
  'README.md': '# Boat\n',
  'src/index.ts': "import { fold } from './fold.js'\nexport { fold }\n",
  'src/fold.ts': 'export function fold(paper: string): string {\n  // TODO: twice\n  return paper\n}\n',
  'src/fold.test.ts': "import { fold } from './fold.js'\n",
  'src/deep/view.tsx': 'export const view = 1\n',
  '.github/ci.yml': 'run: test\n',
  '.env': 'TODO=secret\n',
  '.gitignore': 'node_modules/\n*.log\n!keep.log\n/build\n',
  'node_modules/a/index.js': '// TODO\n',
  'debug.log': 'TODO\n',
  'keep.log': 'TODO\n',
  'build/out.js': '// TODO\n',
  'src/build/in.ts': '// TODO\n',
  'src/.gitignore': 'gen-*\n',
  'src/gen-a.ts': '// TODO\n',
  '.git/config': 'TODO\n',
  '.git/info/exclude': 'private.txt\n',
  'private.txt': 'TODO\n',
}

/** The project, for tests that only look. */
let project: Workspace
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'ext-search-'))
  put(folder, PROJECT)
  project = workspaceIn(folder)
})
afterAll(() => rmSync(project.folder, { recursive: true, force: true }))

describe('Glob', () => {
  it.each<[pattern: string, path: string | undefined, found: readonly string[]]>([
    ['*.tsx', undefined, ['src/deep/view.tsx']],
    ['src/*.ts', undefined, ['src/fold.test.ts', 'src/fold.ts', 'src/index.ts']],
    ['/*.md', undefined, ['README.md']],
    [
      'src/**/*.{ts,tsx}',
      undefined,
      ['src/build/in.ts', 'src/deep/view.tsx', 'src/fold.test.ts', 'src/fold.ts', 'src/index.ts'],
    ],
    ['**/fold.*', undefined, ['src/fold.test.ts', 'src/fold.ts']],
    ['*.ts', 'src', ['src/build/in.ts', 'src/fold.test.ts', 'src/fold.ts', 'src/index.ts']],
    ['../src/index.ts', 'src', ['src/index.ts']],
    ['.*', undefined, ['.env', '.gitignore', 'src/.gitignore']],
    ['*.yml', undefined, ['.github/ci.yml']],
    ['*.log', undefined, ['keep.log']],
    ['index.js', 'node_modules', ['node_modules/a/index.js']],
    ['*.js', 'build', ['build/out.js']],
    ['*', 'src/deep', ['src/deep/view.tsx']],
    ['[fi]*.ts', 'src', ['src/build/in.ts', 'src/fold.test.ts', 'src/fold.ts', 'src/index.ts']],
    ['src', undefined, []],
    ['*.rs', undefined, []],
  ])('%s in %s', async (pattern, path, found) => {
    const { ok, folder } = project
    const input = path === undefined ? { pattern } : { pattern, path }
    const where = path ?? '.'
    // A pattern that begins with / is a path.
    const asked = pattern.startsWith('/') ? { pattern: folder + pattern } : input
    expect(await ok('Glob', asked)).toBe(found.join('\n') || `No file in \`${where}\` matches \`${pattern}\`.`)
  })

  it('gives absolute paths for a folder that is not below the working folder', async () => {
    const other = workspace(PROJECT)
    const { ok } = workspace({}, { roots: () => [other.folder] })
    expect(await ok('Glob', { pattern: '*.md', path: other.folder })).toBe(join(other.folder, 'README.md'))
  })

  it('knows what the folders above say, up to the top of the repository', async () => {
    const { call, folder } = workspace({
      ...PROJECT,
      'src/deep/gen-b.ts': '',
      'src/deep/a.log': '',
      'src/deep/private.txt': '',
    })
    const session = { id: 's', cwd: join(folder, 'src/deep'), origin: 'main', permissionMode: 'default' } as const
    expect((await call('Glob', { pattern: '**' }, { session })).text).toBe('view.tsx')
  })

  it.each([
    ['src/', '`src/` names a folder. Write `src/**` for the files below it.'],
    ['**/../x', 'at the beginning of a pattern only'],
    ['{/etc,src}/*', 'at the beginning of a pattern only'],
    ['*//b', 'can match no file: two slashes follow each other'],
    ['[a', 'can match no file: a [ has no ]'],
    ['{a,b}'.repeat(9), 'can match no file: its braces stand for more than 256 patterns'],
    ['*'.repeat(1001), 'can match no file: it has 1001 characters, and 1000 are the limit'],
    ['scr/*.ts', '`scr` does not exist. Did you mean `src`?'],
    ['README.md/*', '`README.md` is a file; name a folder.'],
  ])('says what is wrong with %s', async (pattern, says) => {
    const { fails } = project
    expect(await fails('Glob', { pattern })).toContain(says)
  })

  it('takes linear time for a pattern that others go back and forth in', async () => {
    const { ok } = workspace({ [`${'a'.repeat(200)}.txt`]: '' })
    expect(await ok('Glob', { pattern: `${'*a'.repeat(60)}*b` })).toContain('No file')
  })

  it('says how many there are beyond the limit', async () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${String(at).padStart(2, '0')}`, '']))
    const { ok } = workspace(files, { limits: { results: 2 } })
    expect(await ok('Glob', { pattern: '*' })).toBe(
      'f00\nf01\n[the first 2 of 30 files; use a narrower pattern or a folder]',
    )
    const short = workspace(files, { limits: { searchItems: 3 } })
    expect(await short.ok('Glob', { pattern: '*' })).toBe(
      'f00\nf01\nf02\n[only the first 3 files and folders were looked at; search a smaller folder]',
    )
  })

  it('counts what is in a folder of any size', async () => {
    const many = Array.from({ length: 190_000 }, (_, at) => ({ name: `${at}.txt`, kind: 'file' }) as const)
    const files: WorkFilesPort = { ...PORTS.files, list: async () => many }
    const { ok } = workspace({}, { ports: { ...PORTS, files }, limits: { results: 1 } })
    expect(await ok('Glob', { pattern: '*' })).toContain('the first 1 of 190,000 files')
  })

  it('follows no link, and so no loop', async () => {
    const { ok, folder } = workspace({ 'a/f.txt': 'x\n' })
    symlinkSync('..', join(folder, 'a/up'))
    symlinkSync('f.txt', join(folder, 'a/link.txt'))
    expect(await ok('Glob', { pattern: '**' })).toBe('a/f.txt')
    expect(await ok('Grep', { pattern: 'x' })).toBe('a/f.txt')
  })
})

describe('Grep', () => {
  it.each<[input: Record<string, unknown>, found: string]>([
    [{ pattern: 'TODO' }, '.env\nkeep.log\nsrc/build/in.ts\nsrc/fold.ts'],
    [{ pattern: 'fold', output_mode: 'count' }, 'src/fold.test.ts:1\nsrc/fold.ts:1\nsrc/index.ts:2'],
    [{ pattern: 'fold', output_mode: 'count', glob: 'index.*' }, 'src/index.ts:2'],
    [
      { pattern: '^export', output_mode: 'content', glob: '*.{ts,tsx}' },
      'src/deep/view.tsx:1:export const view = 1\nsrc/fold.ts:1:export function fold(paper: string): string {\nsrc/index.ts:2:export { fold }',
    ],
    [{ pattern: 'PAPER', output_mode: 'count', '-i': true }, 'src/fold.ts:2'],
    [{ pattern: 'PAPER' }, 'No line in `.` matches.'],
    [{ pattern: 'paper$', output_mode: 'content', path: 'src/fold.ts' }, 'src/fold.ts:3:  return paper'],
    [
      { pattern: 'TODO', output_mode: 'content', path: 'src/fold.ts', '-C': 1 },
      'src/fold.ts-1-export function fold(paper: string): string {\nsrc/fold.ts:2:  // TODO: twice\nsrc/fold.ts-3-  return paper',
    ],
    [
      { pattern: 'TODO', output_mode: 'content', path: 'src/fold.ts', '-A': 1 },
      'src/fold.ts:2:  // TODO: twice\nsrc/fold.ts-3-  return paper',
    ],
    [
      { pattern: 'TODO', output_mode: 'content', path: 'src/fold.ts', '-B': 1 },
      'src/fold.ts-1-export function fold(paper: string): string {\nsrc/fold.ts:2:  // TODO: twice',
    ],
    [{ pattern: 'TODO', path: 'node_modules' }, 'node_modules/a/index.js'],
    [{ pattern: 'TODO', path: 'debug.log' }, 'debug.log'],
    [{ pattern: '\\bfold\\(' }, 'src/fold.ts'],
    [{ pattern: '\\bold\\b' }, 'No line in `.` matches.'],
    [{ pattern: '\\Bold\\b', output_mode: 'count', path: 'src/index.ts' }, 'src/index.ts:2'],
    [{ pattern: '(?:\\b)+paper\\\\?\\b' }, 'src/fold.ts'],
    [{ pattern: '\\Q\\b\\E' }, 'No line in `.` matches.'],
    [{ pattern: 'view|twice' }, 'src/deep/view.tsx\nsrc/fold.ts'],
    [{ pattern: '\\Aexport', glob: 'index.ts' }, 'src/index.ts'],
    [{ pattern: '(?i:EXPORT) .*\\z', glob: 'index.ts', output_mode: 'content' }, 'src/index.ts:2:export { fold }'],
  ])('%j', async (input, found) => {
    const { ok } = project
    expect(await ok('Grep', input as never)).toBe(found)
  })

  it('shows neighbouring lines once, and a mark between groups', async () => {
    const { ok } = workspace({ 'f.txt': 'a\nx1\nx2\nb\nc\nd\nx3\n' })
    expect(await ok('Grep', { pattern: 'x', output_mode: 'content', '-C': 1 })).toBe(
      ['f.txt-1-a', 'f.txt:2:x1', 'f.txt:3:x2', 'f.txt-4-b', '--', 'f.txt-6-d', 'f.txt:7:x3'].join('\n'),
    )
  })

  it('finds lines in every encoding, whatever the line breaks', async () => {
    const { ok } = workspace({
      'a.txt': 'one\r\nKäse\r\n',
      'b.txt': Buffer.from('\uFEFFone\r\nKäse\r\n', 'utf16le'),
      'c.txt': '\uFEFFKäse',
      'd.txt': Buffer.from('K\xe4se\n', 'latin1'),
    })
    expect(await ok('Grep', { pattern: '^Käse$', output_mode: 'content' })).toBe(
      'a.txt:2:Käse\nb.txt:2:Käse\nc.txt:1:Käse',
    )
  })

  it('says what it has left out', async () => {
    const { ok, folder } = workspace(
      {
        'a.txt': 'x\n',
        'b.bin': 'x\0',
        'c.png': Buffer.from('\x89PNG\r\n\x1a\nx', 'latin1'),
        'long.txt': `${'x'.repeat(70_000)}\nxy\n`,
      },
      { limits: { searchBytes: 100_000 } },
    )
    writeFileSync(join(folder, 'hole'), 'x\n')
    truncateSync(join(folder, 'hole'), 2 ** 31 + 1)
    expect(await ok('Grep', { pattern: 'x' })).toBe(
      'a.txt\nlong.txt\n[not searched, since they are binary: 2 files]\n[not searched, since they are larger than 100,000 bytes: hole]\n[not searched, since they are longer than 65,536 characters: 1 line]',
    )
  })

  it('stops at the limits, and says so', async () => {
    const { ok } = workspace(
      { 'a.txt': 'x\n'.repeat(10), 'b.txt': `${'x'.repeat(600)}\n`, 'c.txt': 'x\n' },
      { limits: { characters: 1000 } },
    )
    expect(await ok('Grep', { pattern: 'x', head_limit: 2 })).toBe(
      'a.txt\nb.txt\n[only the first 2 files; there are more: search a smaller folder or for less]',
    )
    expect(await ok('Grep', { pattern: 'x', head_limit: 3 })).toBe('a.txt\nb.txt\nc.txt')
    expect(await ok('Grep', { pattern: 'x', output_mode: 'content', head_limit: 2 })).toBe(
      'a.txt:1:x\na.txt:2:x\n[only the first 2 lines; there are more: search a smaller folder or for less]',
    )
    expect(await ok('Grep', { pattern: 'x', output_mode: 'content', path: 'b.txt' })).toBe(
      `b.txt:1:${'x'.repeat(500)}…\n[lines are cut at 500 characters: 1]`,
    )
    const wide = workspace({ 'a.txt': `${'x'.repeat(400)}\n`.repeat(10) }, { limits: { characters: 1000 } })
    expect(await wide.ok('Grep', { pattern: 'x', output_mode: 'content' })).toContain('only the first 3 lines')
  })

  it.each([
    ['(?=a)', 'look-around'],
    ['(a)\\1', 'back-references'],
    ['(', 'missing closing )'],
    ['a'.repeat(1001), '1000 are the limit'],
  ])('says what is wrong with %s', async (pattern, says) => {
    const { fails } = workspace()
    expect(await fails('Grep', { pattern })).toContain(says)
  })

  it('takes linear time for a pattern that others go back and forth in', async () => {
    const { ok } = workspace({ 'a.txt': `${'a'.repeat(60_000)}\n` })
    expect(await ok('Grep', { pattern: '^(a+)+$' })).toBe('a.txt')
    expect(await ok('Grep', { pattern: '(a|aa)+b' })).toBe('No line in `.` matches.')
  })

  it('gives nothing away that may not be read, by whatever name it is searched', async () => {
    const mayFind = (path: string) => !/\/(?:\.env|secret\/.*)$/.test(path)
    const { ok, folder } = workspace({ '.env': 'TODO\n', 'secret/a.txt': 'TODO\n', 'src/b.txt': 'TODO\n' }, { mayFind })
    symlinkSync('secret', join(folder, 'open'))
    expect(await ok('Grep', { pattern: 'TODO' })).toBe('src/b.txt\n[left out, since they may not be read: 2 files]')
    expect(await ok('Glob', { pattern: '**' })).toBe('src/b.txt\n[left out, since they may not be read: 2 files]')
    expect(await ok('Grep', { pattern: 'TODO', path: 'open' })).toBe(
      'No line in `open` matches.\n[left out, since they may not be read: 1 file]',
    )
  })

  it('says which folder of the path does not exist', async () => {
    const { fails } = project
    expect(await fails('Grep', { pattern: 'x', path: 'srcs' })).toContain('Did you mean `src`?')
    expect(await fails('Grep', { pattern: 'x', glob: '../*' })).toContain('can match no file')
  })

  it('stops when the run is aborted, also in the middle', async () => {
    const files = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${at}.txt`, 'x\n'.repeat(1000)]))
    const { call } = workspace(files)
    await expect(call('Grep', { pattern: 'x' }, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow(
      'enough',
    )
    const controller = new AbortController()
    const run = call('Grep', { pattern: 'y|xx', output_mode: 'content' }, { signal: controller.signal })
    queueMicrotask(() => controller.abort(new Error('enough now')))
    await expect(run).rejects.toThrow('enough now')
  })

  it('lets others have their turn while it searches', async () => {
    // Time passes only when somebody waits for it, and 10 ms go by each time that somebody looks.
    let now = 0
    let turns = 0
    const clock = {
      now: () => (now += 10),
      after: (ms: number, fn: () => void) => {
        turns++
        return PORTS.clock.after(ms, fn)
      },
    }
    const { ok } = workspace({ 'a.txt': 'x\n'.repeat(2000) }, { ports: { ...PORTS, clock } })
    await ok('Grep', { pattern: 'x', output_mode: 'count' })
    expect(turns).toBeGreaterThan(5)
  })

  it('needs no turn of others for a small search, so a clock that stands still holds nothing up', async () => {
    const { ok } = workspace(PROJECT, { ports: { ...PORTS, clock: fakeClock(0) } })
    expect(await ok('Grep', { pattern: 'twice' })).toBe('src/fold.ts')
  })
})

describe('a folder that can not be listed, and a file that can not be read', () => {
  it('are counted', async () => {
    const files: WorkFilesPort = {
      ...PORTS.files,
      list: async (path) => (path.endsWith('/closed') ? undefined : PORTS.files.list(path)),
      read: async (path, use) =>
        path.endsWith('/b.txt') ? { failure: 'unreadable', message: 'EACCES' } : PORTS.files.read(path, use),
    }
    const { ok } = workspace({ 'a.txt': 'x\n', 'b.txt': 'x\n', 'closed/c.txt': 'x\n' }, { ports: { ...PORTS, files } })
    expect(await ok('Grep', { pattern: 'x' })).toBe("a.txt\n[can't be read: 1 file]\n[can't be listed: 1 folder]")
  })
})
