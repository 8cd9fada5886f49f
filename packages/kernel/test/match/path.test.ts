import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePathPattern, type PathAnchors, resolvePath, samenessOfNames } from '../../src/match/index.js'

const ANCHORS: PathAnchors = { cwd: '/work/app', home: '/home/me', sourceDir: '/work', ignoreCase: false }
const test = (pattern: string, path: string, anchors: Partial<PathAnchors> = {}) =>
  compilePathPattern(pattern, { ...ANCHORS, ...anchors }).test(path)

describe('a path pattern', () => {
  it.each([
    // from the root
    ['//etc/passwd', '/etc/passwd', true],
    ['//etc', '/etc/passwd', true],
    ['//etc/*', '/etc/ssh/key', true],
    ['//etc/*.conf', '/etc/a.conf', true],
    ['//etc/*.conf', '/etc/x/a.conf', false],
    ['//**', '/anything/at/all', true],
    ['//etc', '/work/app/etc', false],
    // from home
    ['~/.ssh', '/home/me/.ssh/id', true],
    ['~/.ssh', '/home/you/.ssh/id', false],
    ['~/*', '/home/me/x', true],
    ['~/**/*.pem', '/home/me/a/b/c.pem', true],
    // from the folder of the file that it is written in
    ['/src', '/work/src/a.ts', true],
    ['/src', '/work/app/src/a.ts', false],
    // from the working folder
    ['./src', '/work/app/src/a.ts', true],
    ['./src', '/work/src/a.ts', false],
    ['./**', '/work/app/x', true],
    // at any depth below the working folder, unless it holds a slash
    ['.env', '/work/app/.env', true],
    ['.env', '/work/app/deep/down/.env', true],
    ['.env', '/work/.env', false],
    ['*.pem', '/work/app/keys/a.pem', true],
    ['src/*.ts', '/work/app/src/a.ts', true],
    ['src/*.ts', '/work/app/lib/src/a.ts', false],
    ['**/src/*.ts', '/work/app/lib/src/a.ts', true],
    ['build/', '/work/app/build/x', true],
    ['build/', '/work/app/build', false],
    ['a?c', '/work/app/abc', true],
    ['a[bx]c', '/work/app/axc', true],
    ['*', '/work/app/.hidden', true],
    // a base is a whole name
    ['./x', '/work/apple/x', false],
    ['~/x', '/home/mex/x', false],
    // the anchor itself is never matched
    ['./', '/work/app', false],
    ['./**', '/work/app', false],
    ['/', '/work/x', false],
    ['//', '/x', false],
    ['', '/work/app/x', false],
  ])('%j for %j is %s', (pattern, path, expected) => {
    expect(test(pattern, path)).toBe(expected)
  })

  it.each([
    ['!important', '/work/app/!important', true],
    ['!important', '/work/app/other', false],
    ['!!x', '/work/app/!!x', true],
    ['#notes', '/work/app/#notes', true],
    ['./!x', '/work/app/!x', true],
    ['/#x', '/work/#x', true],
    ['a\n!a', '/work/app/a', false],
    ['a\nb', '/work/app/b', false],
    ['x\\', '/work/app/x\\', true],
    ['x\\', '/work/app/x', false],
    ['x\\\\', '/work/app/x\\', true],
    ['x ', '/work/app/x', true],
    ['x\\ ', '/work/app/x ', true],
    ['\\*', '/work/app/*', true],
    ['\\*', '/work/app/a', false],
  ])('%j is one pattern without negation and comment: %j is %s', (pattern, path, expected) => {
    expect(test(pattern, path)).toBe(expected)
  })

  it.each([
    ['./**', '/work/app/../../etc/passwd', false],
    ['//etc', '/work/app/../../etc/passwd', true],
    ['./src', '/work/app/lib/../src/a', true],
    ['./src', './src/a', true],
    ['./src', 'src/a', true],
    ['.env', '../.env', false],
    ['~/x', '~/x', true],
    ['//**', '/', false],
    ['./src', '/work/app//src/./a', true],
    ['./src', '', false],
  ])('%j looks at where a path leads: %j is %s', (pattern, path, expected) => {
    expect(test(pattern, path)).toBe(expected)
  })

  it('ignores case, of its base too, where the file system does', () => {
    expect(test('./SRC/*.ts', '/Work/APP/src/A.TS', { ignoreCase: true })).toBe(true)
    expect(test('./SRC/*.ts', '/work/app/src/a.ts')).toBe(false)
    // Lower-casing makes this name longer.
    expect(test('./x', '/İ/X', { cwd: '/İ', ignoreCase: true })).toBe(true)
    expect(test('./x', '/i\u0307/x', { cwd: '/İ', ignoreCase: true })).toBe(true)
  })

  it.each(['/', '/work/app/', '//work/app'])('takes anchors as they come: cwd %j', (cwd) => {
    expect(test('./x', resolvePath('x', { cwd, home: '/' }), { cwd })).toBe(true)
  })

  it('remembers what was written', () => {
    expect(compilePathPattern('~/x', ANCHORS).text).toBe('~/x')
  })

  it.each([
    ['', 'it names nothing'],
    ['  ', 'it names nothing'],
    ['./', 'it names nothing'],
    ['//', 'it names nothing'],
    ['a//b', 'two slashes follow each other'],
    ['///etc', 'two slashes follow each other'],
    ['[a', 'a [ has no ] that closes it, or holds a class that does not exist'],
    ['[[:letter:]]', 'a [ has no ] that closes it, or holds a class that does not exist'],
    ['a\\/', 'a backslash stands before the slash at its end'],
    ['./../x', 'a name in it is . or .., which a path that is resolved does not hold'],
    ['a/./b', 'a name in it is . or .., which a path that is resolved does not hold'],
    ['a'.repeat(5000), 'it has 5000 characters, and 4096 are the limit'],
  ])('%j says that it can never match, and why', (pattern, never) => {
    expect(compilePathPattern(pattern, ANCHORS).never).toBe(never)
  })

  it('that is written with a composed letter means the decomposed one too, where the file system does', () => {
    expect(test('./caf\u00e9', '/work/app/cafe\u0301', { ignoreForm: true })).toBe(true)
    expect(test('./x', '/cafe\u0301/x', { cwd: '/caf\u00e9', ignoreForm: true })).toBe(true)
    expect(test('./caf\u00e9', '/work/app/cafe\u0301')).toBe(false)
  })

  it.each([
    ['linux', { ignoreCase: false, ignoreForm: false }],
    ['darwin', { ignoreCase: true, ignoreForm: true }],
    ['win32', { ignoreCase: true, ignoreForm: false }],
  ])('knows the file systems of %s', (platform, expected) => {
    expect(samenessOfNames(platform)).toEqual(expected)
  })

  it('takes no longer for a hostile pattern and path', () => {
    // The regular expression of the `ignore` package takes 11 s for the first of these.
    expect(test('**/a/**/a/**/a/**/a/b', `/work/app/${'a/'.repeat(200)}x`)).toBe(false)
    expect(test('**/a/**/a/**/a/**/a/b', `/work/app/${'a/'.repeat(50_000)}x`)).toBe(false)
    expect(test(`${'*a'.repeat(1000)}b`, `/work/app/${'a'.repeat(5000)}`)).toBe(false)
    expect(test(`${'*[a]'.repeat(1000)}b`, `/work/app/${'a'.repeat(5000)}`)).toBe(false)
  }, 2000)

  const text = fc.string({ unit: fc.constantFrom(...'ab/.*?[]!#\\ ~-\n\t{}', 'İ', '..', '/../', '**') })

  it('never throws', () => {
    fc.assert(
      fc.property(text, fc.oneof(text, fc.string({ unit: 'binary' })), fc.boolean(), (pattern, path, ignoreCase) => {
        expect(typeof test(pattern, path, { ignoreCase })).toBe('boolean')
      }),
      { numRuns: 5000 },
    )
  })

  it('below an anchor never matches outside of it', () => {
    fc.assert(
      fc.property(text, text, (pattern, path) => {
        const where = resolvePath(path, ANCHORS)
        if (test(`./${pattern}`, path)) expect(where.startsWith('/work/app/')).toBe(true)
        if (test(`~/${pattern}`, path)) expect(where.startsWith('/home/me/')).toBe(true)
      }),
      { numRuns: 3000 },
    )
  })

  it('that is a plain path matches it and everything below', () => {
    const name = fc.stringMatching(/^[a-z][a-z.-]{0,6}$/)
    fc.assert(
      fc.property(fc.array(name, { minLength: 1 }), fc.array(name), (path, below) => {
        expect(test(`./${path.join('/')}`, `/work/app/${[...path, ...below].join('/')}`)).toBe(true)
        expect(test(`./${path.join('/')}`, `/work/app/${path.join('/')}x`)).toBe(false)
      }),
    )
  })
})

describe('resolvePath', () => {
  it.each([
    ['a', '/work/app/a'],
    ['./a/', '/work/app/a'],
    ['../a', '/work/a'],
    ['../../../../a', '/a'],
    ['/a//b/./c/..', '/a/b'],
    ['~', '/home/me'],
    ['~/a', '/home/me/a'],
    ['~you', '/work/app/~you'],
    ['', '/work/app'],
    ['/', '/'],
    ['...', '/work/app/...'],
  ])('%j is %s', (path, expected) => {
    expect(resolvePath(path, ANCHORS)).toBe(expected)
  })

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '.', '/', '~', '..') }), (path) => {
        const once = resolvePath(path, ANCHORS)
        expect(resolvePath(once, ANCHORS)).toBe(once)
        expect(once).toMatch(/^\//)
        expect(once.split('/')).not.toContain('..')
      }),
    )
  })
})
