import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expandVariables, minimalEnv } from '../../src/env/index.js'

describe('expandVariables', () => {
  const env = { A: 'one', B_2: '', NESTED: '${A}', DOLLAR: "$& $1 $' $`", undef: undefined }

  it.each([
    ['${A}', 'one'],
    ['x${A}y${A}', 'xoneyone'],
    ['$A', '$A'],
    ['$(echo x)', '$(echo x)'],
    ['`echo x`', '`echo x`'],
    ['${NESTED}', '${A}'],
    ['${${A}}', '${one}'],
    ['${DOLLAR}', "$& $1 $' $`"],
    ['${B_2}', ''],
    ['${A:-x}', '${A:-x}'],
    ['${1A}', '${1A}'],
    ['${A-B}', '${A-B}'],
    ['${ A }', '${ A }'],
    ['${A', '${A'],
    ['\\${A}', '\\one'],
    ['%A%', '%A%'],
  ])('%s becomes %s', (text, expected) => {
    expect(expandVariables(text, env)).toEqual({ text: expected, undefinedNames: [] })
  })

  it.each([
    ['${A:-x}', 'one'],
    ['${X:-x y}', 'x y'],
    ['${X:-}', ''],
    ['${B_2:-x}', 'x'],
    ['${X:-$HOME}', '$HOME'],
    ['${X:-a:-b}', 'a:-b'],
    ['${X:-${A}}', '${A}'],
    ['${undef:-x}', 'x'],
    ['${A}', 'one'],
  ])('%s with defaults becomes %s', (text, expected) => {
    expect(expandVariables(text, env, { defaults: true })).toEqual({ text: expected, undefinedNames: [] })
  })

  it('names what is undefined once, in order, and leaves nothing in its place', () => {
    expect(expandVariables('${Z}-${X}-${Z}-${undef}', env)).toEqual({
      text: '---',
      undefinedNames: ['Z', 'X', 'undef'],
    })
    expect(expandVariables('${X:-}${Z}', env, { defaults: true }).undefinedNames).toEqual(['Z'])
  })

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('%s is no variable', (name) => {
    expect(expandVariables(`\${${name}}`, {})).toEqual({ text: '', undefinedNames: [name] })
  })

  it('never looks at what it has put in', () => {
    const value = fc.string({ unit: fc.constantFrom('$', '{', '}', 'A', 'B', ':-', 'x', '&') })
    fc.assert(
      fc.property(value, value, fc.array(fc.constantFrom('A', 'B')), fc.boolean(), (a, b, names, defaults) => {
        const text = names.map((name) => `<\${${name}}>`).join('')
        const expected = names.map((name) => `<${name === 'A' ? a : b}>`).join('')
        expect(expandVariables(text, { A: a, B: b }, { defaults }).text).toBe(expected)
      }),
    )
  })

  it('leaves any text alone that holds no ${', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!text.includes('${'))
        expect(expandVariables(text, {}, { defaults: true })).toEqual({ text, undefinedNames: [] })
      }),
    )
  })
})

describe('minimalEnv', () => {
  it('holds what programs need to run, and no secret of the host', () => {
    const host = {
      PATH: '/bin',
      HOME: '/home/me',
      LANG: 'de_DE.UTF-8',
      LC_ALL: 'C',
      TERM: 'xterm',
      TMPDIR: '/tmp',
      TZ: 'UTC',
      USER: 'me',
      SHELL: '/bin/sh',
      ANTHROPIC_API_KEY: 'canary',
      AWS_SECRET_ACCESS_KEY: 'canary',
      GITHUB_TOKEN: 'canary',
      NODE_OPTIONS: 'canary',
      LD_PRELOAD: 'canary',
      BASH_ENV: 'canary',
      HTTPS_PROXY: 'canary',
      SSH_AUTH_SOCK: 'canary',
      path: 'canary',
      GONE: undefined,
    }
    const env = minimalEnv(host, 'linux')
    expect(Object.keys(env)).toEqual(['PATH', 'HOME', 'LANG', 'LC_ALL', 'TERM', 'TMPDIR', 'TZ', 'USER', 'SHELL'])
    expect(Object.values(env)).not.toContain('canary')
  })

  it('on Windows takes names in any case and keeps how they are written', () => {
    const host = { Path: 'C:\\bin', SystemRoot: 'C:\\Windows', USERPROFILE: 'C:\\me', windir: 'x', Token: 'canary' }
    expect(Object.keys(minimalEnv(host, 'win32'))).toEqual(['Path', 'SystemRoot', 'USERPROFILE'])
  })
})
