import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { childEnv, ENV_PRESETS, expandAll, expandVariables, minimalEnv } from '../../src/env/index.js'

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

  it('takes no longer for a hostile text', () => {
    const text = '${A:-'.repeat(200_000)
    expect(expandVariables(text, {}, { defaults: true }).text).toBe(text)
    expect(expandVariables(`${text}}`, {}, { defaults: true }).text).toBe('${A:-'.repeat(199_999))
  }, 2000)

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

describe('expandAll', () => {
  const env = { A: 'one', EMPTY: '' }

  it('fills in all values and names what is undefined once for the whole entry, with the first value that needs it', () => {
    expect(expandAll({ url: 'x/${A}', one: '${X}${Y}', two: '${Y}${Z}${A}', plain: '$A' }, env)).toEqual({
      values: { url: 'x/one', one: '', two: 'one', plain: '$A' },
      undefinedNames: [
        { name: 'X', key: 'one' },
        { name: 'Y', key: 'one' },
        { name: 'Z', key: 'two' },
      ],
    })
  })

  it.each([
    [['X'], '`X` must be set, and is not'],
    [['Y', 'X', 'NOWHERE'], '`X` and `Y` must be set, and are not'],
  ])('has a problem instead of values if %j are required and undefined', (required, problem) => {
    expect(expandAll({ one: '${X}', two: '${Y}' }, env, { required })).toEqual({
      problem,
      undefinedNames: [
        { name: 'X', key: 'one' },
        { name: 'Y', key: 'two' },
      ],
    })
  })

  it('does without a required name that is set, has a default, or stands nowhere', () => {
    const values = { one: '${A}${EMPTY}', two: '${X:-y}' }
    const expanded = expandAll(values, env, { defaults: true, required: ['A', 'EMPTY', 'X', 'Z'] })
    expect(expanded).toEqual({ values: { one: 'one', two: 'y' }, undefinedNames: [] })
  })

  it('takes any text as a key', () => {
    expect(Object.entries(expandAll({ ['__proto__']: '${A}', '${A}': 'x' }, env).values ?? {})).toEqual([
      ['__proto__', 'one'],
      ['${A}', 'x'],
    ])
  })

  it('never looks at what it has put in', () => {
    const value = fc.string({ unit: fc.constantFrom('$', '{', '}', 'A', 'B', 'x') })
    fc.assert(
      fc.property(value, value, (a, b) => {
        const { values } = expandAll({ one: '${A}', two: '<${B}>' }, { A: a, B: b })
        expect(values).toEqual({ one: a, two: `<${b}>` })
      }),
    )
  })
})

describe('childEnv', () => {
  const host = {
    PATH: '/bin',
    HOME: '/home/me',
    GITHUB_TOKEN: 'canary',
    HTTPS_PROXY: 'http://proxy',
    no_proxy: 'localhost',
    NODE_EXTRA_CA_CERTS: '/ca.pem',
    NODE_OPTIONS: '--require /evil.js',
    JAVA_HOME: '/java',
    NVM_DIR: '/nvm',
    SSH_AUTH_SOCK: '/ssh.sock',
    GONE: undefined,
  }
  const names = (options: Omit<Parameters<typeof childEnv>[0], 'host' | 'platform'>) =>
    Object.keys(childEnv({ host, platform: 'linux', ...options }).env)

  it('is the minimal environment unless something is asked for', () => {
    expect(childEnv({ host, platform: 'linux' })).toEqual({ env: minimalEnv(host, 'linux'), missing: [] })
  })

  it('passes what presets name, and nothing else', () => {
    expect(names({ presets: ['proxy'] })).toEqual(['PATH', 'HOME', 'HTTPS_PROXY', 'no_proxy', 'NODE_EXTRA_CA_CERTS'])
    expect(names({ presets: ['toolchain', 'ssh'] })).toEqual(['PATH', 'HOME', 'JAVA_HOME', 'NVM_DIR', 'SSH_AUTH_SOCK'])
  })

  it.each([
    'NODE_OPTIONS',
    'NODE_PATH',
    'PYTHONPATH',
    'LD_LIBRARY_PATH',
    'LD_PRELOAD',
    'JAVA_TOOL_OPTIONS',
    'RUSTFLAGS',
  ])('has no preset for %s, which makes programs load code', (name) => {
    expect(Object.values(ENV_PRESETS).flat()).not.toContain(name)
  })

  it('passes what is named, and says which names have no value', () => {
    const { env, missing } = childEnv({ host, platform: 'linux', passEnv: ['GITHUB_TOKEN', 'GONE', 'X', 'X', 'PATH'] })
    expect(env).toEqual({ PATH: '/bin', HOME: '/home/me', GITHUB_TOKEN: 'canary' })
    expect(missing).toEqual(['GONE', 'X'])
  })

  it('hands on everything only where that is written', () => {
    const { GONE, ...all } = host
    expect(childEnv({ host, platform: 'linux', inherit: 'all' }).env).toEqual(all)
  })

  it('takes declared values before those of the host, whatever else is asked for', () => {
    const declared = { PATH: '/own', X: 'y' }
    const { env, missing } = childEnv({ host, platform: 'linux', inherit: 'all', passEnv: ['PATH', 'X'], declared })
    expect(env).toMatchObject(declared)
    expect(missing).toEqual([])
  })

  it('never holds a name in two cases on Windows, and takes names in any case', () => {
    const windows = { Path: 'C:\\bin', Token: 'canary', https_proxy: 'http://proxy' }
    const options = { host: windows, platform: 'win32', presets: ['proxy'], passEnv: ['TOKEN'] } as const
    expect(childEnv({ ...options, declared: { PATH: 'D:\\bin' } })).toEqual({
      env: { PATH: 'D:\\bin', Token: 'canary', https_proxy: 'http://proxy' },
      missing: [],
    })
  })

  it('takes any name for a name', () => {
    const { env, missing } = childEnv({ host: {}, platform: 'linux', passEnv: ['__proto__', 'constructor'] })
    expect([Object.keys(env), missing]).toEqual([[], ['__proto__', 'constructor']])
    const declared = Object.fromEntries([['__proto__', 'x']])
    expect(Object.keys(childEnv({ host: {}, platform: 'linux', declared }).env)).toEqual(['__proto__'])
  })

  it('holds only what is minimal, declared or asked for', () => {
    const name = fc.constantFrom('PATH', 'TOKEN', 'HTTP_PROXY', 'SSH_AUTH_SOCK', 'GOPATH', 'X')
    const some = fc.record({ host: fc.dictionary(name, fc.string()), declared: fc.dictionary(name, fc.string()) })
    fc.assert(
      fc.property(some, fc.array(name), fc.subarray(['proxy', 'ssh'] as const), (given, passEnv, presets) => {
        const { env } = childEnv({ ...given, platform: 'linux', passEnv, presets })
        const allowed = ['PATH', ...passEnv, ...presets.flatMap((preset) => ENV_PRESETS[preset])]
        for (const [key, value] of Object.entries(env)) {
          const declared = Object.hasOwn(given.declared, key)
          expect(value).toBe(declared ? given.declared[key] : given.host[key])
          expect(declared || allowed.includes(key)).toBe(true)
        }
      }),
    )
  })
})
