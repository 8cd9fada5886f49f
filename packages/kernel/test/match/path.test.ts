import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePathPattern, type PathAnchors, resolvePath, samenessOfNames } from '../../src/match/index.js'

const ANCHORS: PathAnchors = { cwd: '/srv/app', home: '/home/me', sourceDir: '/srv', ignoreCase: false }
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
    ['//etc', '/srv/app/etc', false],
    // from home
    ['~/.ssh', '/home/me/.ssh/id', true],
    ['~/.ssh', '/home/you/.ssh/id', false],
    ['~/*', '/home/me/x', true],
    ['~/**/*.pem', '/home/me/a/b/c.pem', true],
    // from the folder of the file that it is written in
    ['/src', '/srv/src/a.ts', true],
    ['/src', '/srv/app/src/a.ts', false],
    // from the working folder
    ['./src', '/srv/app/src/a.ts', true],
    ['./src', '/srv/src/a.ts', false],
    ['./**', '/srv/app/x', true],
    // at any depth below the working folder, unless it holds a slash
    ['.env', '/srv/app/.env', true],
    ['.env', '/srv/app/deep/down/.env', true],
    ['.env', '/srv/.env', false],
    ['*.pem', '/srv/app/keys/a.pem', true],
    ['src/*.ts', '/srv/app/src/a.ts', true],
    ['src/*.ts', '/srv/app/lib/src/a.ts', false],
    ['**/src/*.ts', '/srv/app/lib/src/a.ts', true],
    ['build/', '/srv/app/build/x', true],
    ['build/', '/srv/app/build', false],
    ['a?c', '/srv/app/abc', true],
    ['a[bx]c', '/srv/app/axc', true],
    ['*', '/srv/app/.hidden', true],
    // a base is a whole name
    ['./x', '/srv/apple/x', false],
    ['~/x', '/home/mex/x', false],
    // the anchor itself is never matched
    ['./', '/srv/app', false],
    ['./**', '/srv/app', false],
    ['/', '/srv/x', false],
    ['//', '/x', false],
    ['', '/srv/app/x', false],
  ])('%j for %j is %s', (pattern, path, expected) => {
    expect(test(pattern, path)).toBe(expected)
  })

  it.each([
    ['!important', '/srv/app/!important', true],
    ['!important', '/srv/app/other', false],
    ['!!x', '/srv/app/!!x', true],
    ['#notes', '/srv/app/#notes', true],
    ['./!x', '/srv/app/!x', true],
    ['/#x', '/srv/#x', true],
    ['a\n!a', '/srv/app/a', false],
    ['a\nb', '/srv/app/b', false],
    ['x\\', '/srv/app/x\\', true],
    ['x\\', '/srv/app/x', false],
    ['x\\\\', '/srv/app/x\\', true],
    ['x ', '/srv/app/x', true],
    ['x\\ ', '/srv/app/x ', true],
    ['\\*', '/srv/app/*', true],
    ['\\*', '/srv/app/a', false],
  ])('%j is one pattern without negation and comment: %j is %s', (pattern, path, expected) => {
    expect(test(pattern, path)).toBe(expected)
  })

  it.each([
    ['./**', '/srv/app/../../etc/passwd', false],
    ['//etc', '/srv/app/../../etc/passwd', true],
    ['./src', '/srv/app/lib/../src/a', true],
    ['./src', './src/a', true],
    ['./src', 'src/a', true],
    ['.env', '../.env', false],
    ['~/x', '~/x', true],
    ['//**', '/', false],
    ['./src', '/srv/app//src/./a', true],
    ['./src', '', false],
  ])('%j looks at where a path leads: %j is %s', (pattern, path, expected) => {
    expect(test(pattern, path)).toBe(expected)
  })

  it('ignores case, of its base too, where the file system does', () => {
    expect(test('./SRC/*.ts', '/Srv/APP/src/A.TS', { ignoreCase: true })).toBe(true)
    expect(test('./SRC/*.ts', '/srv/app/src/a.ts')).toBe(false)
    // Lower-casing makes this name longer.
    expect(test('./x', '/İ/X', { cwd: '/İ', ignoreCase: true })).toBe(true)
    expect(test('./x', '/i\u0307/x', { cwd: '/İ', ignoreCase: true })).toBe(true)
  })

  it.each(['/', '/srv/app/', '//srv/app'])('takes anchors as they come: cwd %j', (cwd) => {
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
    expect(test('./caf\u00e9', '/srv/app/cafe\u0301', { ignoreForm: true })).toBe(true)
    expect(test('./x', '/cafe\u0301/x', { cwd: '/caf\u00e9', ignoreForm: true })).toBe(true)
    expect(test('./caf\u00e9', '/srv/app/cafe\u0301')).toBe(false)
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
    expect(test('**/a/**/a/**/a/**/a/b', `/srv/app/${'a/'.repeat(200)}x`)).toBe(false)
    expect(test('**/a/**/a/**/a/**/a/b', `/srv/app/${'a/'.repeat(50_000)}x`)).toBe(false)
    expect(test(`${'*a'.repeat(1000)}b`, `/srv/app/${'a'.repeat(5000)}`)).toBe(false)
    expect(test(`${'*[a]'.repeat(1000)}b`, `/srv/app/${'a'.repeat(5000)}`)).toBe(false)
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
        if (test(`./${pattern}`, path)) expect(where.startsWith('/srv/app/')).toBe(true)
        if (test(`~/${pattern}`, path)) expect(where.startsWith('/home/me/')).toBe(true)
      }),
      { numRuns: 3000 },
    )
  })

  it('that is a plain path matches it and everything below', () => {
    const name = fc.stringMatching(/^[a-z][a-z.-]{0,6}$/)
    fc.assert(
      fc.property(fc.array(name, { minLength: 1 }), fc.array(name), (path, below) => {
        expect(test(`./${path.join('/')}`, `/srv/app/${[...path, ...below].join('/')}`)).toBe(true)
        expect(test(`./${path.join('/')}`, `/srv/app/${path.join('/')}x`)).toBe(false)
      }),
    )
  })
})

describe('resolvePath', () => {
  it.each([
    ['a', '/srv/app/a'],
    ['./a/', '/srv/app/a'],
    ['../a', '/srv/a'],
    ['../../../../a', '/a'],
    ['/a//b/./c/..', '/a/b'],
    ['~', '/home/me'],
    ['~/a', '/home/me/a'],
    ['~you', '/srv/app/~you'],
    ['', '/srv/app'],
    ['/', '/'],
    ['...', '/srv/app/...'],
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
