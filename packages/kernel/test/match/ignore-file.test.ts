import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileFileGlob, compileIgnoreFile } from '../../src/match/index.js'

const options = { ignoreCase: false }

/** The files that a walk finds which asks the file about every item, and enters no folder that is ignored. */
function kept(paths: readonly string[], text: string): readonly string[] {
  const file = compileIgnoreFile(text, options)
  return paths.filter((path) => {
    const names = path.split('/')
    return names.every((_, index) => file.verdict(names.slice(0, index + 1), index < names.length - 1) !== 'ignored')
  })
}

describe('an ignore file means what git takes it for', () => {
  const names = ['a', 'b', 'ab', 'a.x', '.a', '#a', '!b', 'a b']
  const paths = names.flatMap((one) =>
    one === 'a.x'
      ? [one]
      : names.flatMap((two) => (two === 'b' ? names.map((three) => `${one}/${two}/${three}`) : [`${one}/${two}`])),
  )
  let root = ''
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, env, encoding: 'utf8' })

  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'ext-ignore-')))
    git('init', '-q')
    for (const path of paths) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), '')
    }
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  const byGit = (text: string) => {
    writeFileSync(join(root, '.git/info/exclude'), text)
    return git('ls-files', '--others', '--exclude-standard', '-z')
      .split('\0')
      .filter((path) => path !== '')
      .sort()
  }

  it.each([
    ['names at any depth', 'b\n'],
    ['folders alone', 'a/\nb/\n'],
    ['the top alone', '/a\n/b/b\n'],
    ['everything but one kind', '*\n!*/\n!*.x\n'],
    ['everything but one folder', '/*\n!/a\n/a/*\n!/a/b\n'],
    ['what lies in a folder that is ignored can not come back', 'a/\n!a/b/a\n'],
    ['comments and blanks', '# a\n\\#a\n\\!b\na\\ b   \n\n'],
    ['CRLF and a byte order mark', '\uFEFFa\r\nb/\r\n'],
    ['two stars', '**/b/a\na/**\n!a/a\n'],
    ['two stars in the middle', 'a/**/a\n'],
    ['the last one counts', 'a\n!a\na/b\n!a/b/ab\n'],
    ['a class', '[!a]\n'],
  ])('%s', (_what, text) => {
    expect([...kept(paths, text)].sort()).toEqual(byGit(text))
  })

  it('whatever stands in it', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '*',
      '**',
      '/',
      '?',
      '.x',
      '!',
      '#',
      '[ab]',
      '\\',
      ' ',
      '.',
      'a/',
      '/b',
      '/**/',
      '*/',
    )
    const line = fc
      .tuple(fc.constantFrom('', '', '!'), fc.array(piece, { minLength: 1, maxLength: 4 }))
      .map(([not, parts]) => not + parts.join(''))
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), (lines) => {
        const text = `${lines.join('\n')}\n`
        expect([...kept(paths, text)].sort()).toEqual(byGit(text))
      }),
      { seed: 7, numRuns: 150 },
    )
  })
})

describe('a glob over files', () => {
  const test = (glob: string, path: string) => compileFileGlob(glob, options).test(path.split('/'))

  it.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/b/a.ts', false],
    ['src/**/*.ts', 'src/b/a.ts', true],
    ['src', 'src/a.ts', false],
    ['src/**', 'src/b/a.ts', true],
    ['*.{ts,tsx}', 'a.tsx', true],
    ['{src,test}/{a,b{c,d}}.ts', 'test/bd.ts', true],
    ['{src,test}/{a,b{c,d}}.ts', 'test/b.ts', false],
    ['{a}.ts', '{a}.ts', true],
    ['\\{a,b}', '{a,b}', true],
    ['{a,b', '{a,b', true],
    ['a,b', 'a,b', true],
    ['{,x}a', 'a', true],
    ['A.ts', 'a.ts', false],
  ])('%s and %s: %s', (glob, path, matches) => {
    expect(test(glob, path)).toBe(matches)
  })

  it('ignores case where file systems do', () => {
    expect(compileFileGlob('*.TS', { ignoreCase: true }).test(['a.ts'])).toBe(true)
  })

  it.each([
    ['a//b', 'two slashes follow each other'],
    ['{a//b,c//d}', 'two slashes follow each other'],
    ['{a,b}'.repeat(9), 'its braces stand for more than 256 patterns'],
    ['x'.repeat(1001), 'it has 1001 characters, and 1000 are the limit'],
  ])('says why %s can match nothing', (glob, never) => {
    const compiled = compileFileGlob(glob, options)
    expect(compiled.never).toBe(never)
    expect(compiled.test(['a'])).toBe(false)
  })

  it('takes what it can of several forms', () => {
    const glob = compileFileGlob('{a//b,c}', options)
    expect([glob.never, glob.test(['c'])]).toEqual([undefined, true])
  })
})
