import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExtError } from '../../src/index.js'
import { consentTo, describeSubject, type HashPort, type Runs, type TrustSubject } from '../../src/trust/index.js'

/** A machine of a few files; links lead from one path to another. */
function machine(files: Readonly<Record<string, string>>, links: Readonly<Record<string, string>> = {}): HashPort {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const folders = new Set(['/p', ...Object.keys(files).map((path) => path.slice(0, path.lastIndexOf('/')))])
  const follow = (path: string): string => {
    const link = Object.keys(links).find((each) => path === each || path.startsWith(`${each}/`))
    return link === undefined ? path : follow(links[link] + path.slice(link.length))
  }
  return {
    sha256,
    file(path) {
      const realPath = follow(path)
      const content = files[realPath]
      if (content !== undefined) return { sha256: sha256(content), realPath }
      if (folders.has(realPath)) return { failure: 'folder', message: 'A folder stands where a file is expected.' }
      return { failure: 'missing', message: 'The file does not exist.' }
    },
    realPath: (path) => (folders.has(follow(path)) || files[follow(path)] !== undefined ? follow(path) : undefined),
  }
}

function subject(runs: Runs, more: Partial<TrustSubject> = {}): TrustSubject {
  return { kind: 'hooks', name: 'guard', root: '/p', ...more, runs }
}

function lines(runs: Runs, port: HashPort = machine({})): readonly string[] {
  return describeSubject(consentTo(subject(runs), port)).slice(3)
}

describe('what a person is shown', () => {
  it('finds files through the words of a shell script, below the root and where it runs', () => {
    const files = { '/p/a.sh': 'a', '/q/b.sh': 'b', '/usr/bin/env': 'c', '/p/lib/x': 'd' }
    const words = ['a.sh', 'b.sh', '/p/a.sh', 'lib', '/usr/bin/env', 'no-such-file', '--use=lib/x']
    const command = { shell: 'sh', script: '...' } as const
    const found = (runs: Runs) =>
      lines({ command, words, ...runs }, machine(files))
        .slice(1)
        .map((line) => line.split(':')[0])
    expect(found({})).toEqual(['script ./a.sh', 'script ./lib/x'])
    expect(found({ sessionCwd: '/q' })).toEqual(['script ./a.sh', 'script /q/b.sh'])
    expect(lines({ command, words: ['nothing'] })).toEqual(['runs in sh: ...'])
  })

  it('is everything that would run, leave or be believed, line by line', () => {
    const port = machine({ '/p/hooks/guard.mjs': 'a', '/p/hooks/lib.mjs': 'b' })
    const consent = consentTo(
      subject({
        command: { file: 'node', args: ['hooks/guard.mjs', '--note', 'two words'] },
        scripts: ['hooks/lib.mjs'],
        cwd: '/p',
        url: 'https://example.com/hook',
        host: 'example.com:443',
        prompt: 'Is this safe?\n$ARGUMENTS',
        headers: { 'X-Team': 'a', Authorization: 'Bearer $TOKEN' },
        env: { NODE_OPTIONS: '--no-warnings', LEVEL: '${LEVEL:-1}' },
        passEnv: ['TOKEN', 'HOME', 'TOKEN'],
        sends: ['tool_name', 'tool_input'],
        tools: ['Read', 'Bash(git log *)'],
        believesAnnotations: true,
        also: { scopes: ['mail.read', 'mail.send'], mode: 'acceptEdits' },
      }),
      port,
    )
    expect(describeSubject(consent)).toEqual([
      'kind: hooks',
      'name: guard',
      'folder: /p',
      'runs: node hooks/guard.mjs --note "two words"',
      'working folder: .',
      `script ./hooks/guard.mjs: sha256 ${port.sha256('a')}`,
      `script ./hooks/lib.mjs: sha256 ${port.sha256('b')}`,
      'url: https://example.com/hook',
      'host: example.com:443',
      'prompt:',
      '  | Is this safe?',
      '  | $ARGUMENTS',
      'header Authorization: Bearer $TOKEN',
      'header X-Team: a',
      'sets LEVEL: ${LEVEL:-1}',
      'sets NODE_OPTIONS: --no-warnings',
      'passes: HOME TOKEN',
      'sends: tool_input tool_name',
      'tools: "Bash(git log *)" Read',
      'annotations: believed',
      'with mode: acceptEdits',
      'with scopes: mail.read mail.send',
    ])
    expect(consent.problems).toEqual([])
  })

  it('says so when a list is empty, and when everything leaves', () => {
    expect(lines({ tools: [], sends: 'everything', believesAnnotations: false })).toEqual([
      'sends: (everything)',
      'tools: (none)',
      'annotations: not believed',
    ])
    expect(lines({ tools: ['(none)'], sends: ['(everything)'] })).toEqual(['sends: "(everything)"', 'tools: "(none)"'])
  })

  it('has nothing in it that a terminal would act on, or that nobody would see', () => {
    expect(lines({ command: { shell: 'sh', script: 'ls\u001b[2K\r# \u202Eoops\u200b\u00a0\u{e0041}' } })).toEqual([
      'runs in sh: ls\\u{1b}[2K\\u{d}# \\u{202e}oops\\u{200b}\\u{a0}\\u{e0041}',
    ])
    expect(lines({ command: { file: 'a\nb', args: ['', '\u200b', 'c\td', '"\\'] } })).toEqual([
      'runs: "a\\u{a}b" "" "\\u{200b}" "c\\u{9}d" "\\"\\\\"',
    ])
    // Written out by somebody, it looks different from the real thing.
    expect(lines({ prompt: '\\u{200b} \\n' })).toEqual(['prompt: \\u{5c}u{200b} \\n'])
    expect(lines({ prompt: 'half a pair: \ud800' })).toEqual(['prompt: half a pair: \\u{d800}'])
  })

  it('names where a script or a folder really is', () => {
    const port = machine(
      { '/p/real/run.sh': 'x', '/else/run.sh': 'y' },
      { '/p/run.sh': '/p/real/run.sh', '/p/w': '/else' },
    )
    expect(lines({ command: { file: './run.sh', args: ['w/run.sh'] } }, port)).toEqual([
      'runs: ./run.sh w/run.sh',
      `script ./run.sh: -> ./real/run.sh sha256 ${port.sha256('x')}`,
      `script ./w/run.sh: -> /else/run.sh sha256 ${port.sha256('y')}`,
    ])
    expect(lines({ cwd: 'w', command: { file: './run.sh', args: [] } }, port)).toEqual([
      'runs: ./run.sh',
      'working folder: ./w -> /else',
      `script ./w/run.sh: -> /else/run.sh sha256 ${port.sha256('y')}`,
    ])
  })

  it('is the same through a link to the project', () => {
    const port = machine({ '/p/run.sh': 'x' }, { '/link': '/p' })
    const runs = (root: string): Runs => ({
      command: { file: `${root}/run.sh`, args: [root] },
      cwd: root,
      scripts: ['run.sh'],
    })
    const direct = consentTo(subject(runs('/p')), port)
    const linked = consentTo(subject(runs('/link'), { root: '/link/' }), port)
    expect(describeSubject(linked)).toEqual(describeSubject(direct))
    expect(linked.hash).toBe(direct.hash)
  })

  it('finds the scripts of options, and none outside of the project that nobody asked for', () => {
    const port = machine({ '/p/a.js': 'a', '/p/b.js': 'b', '/p/c.js': 'c', '/usr/bin/node': 'n', '/else/d.js': 'd' })
    const command = {
      file: '/usr/bin/node',
      args: ['--require=./a.js', '-r./b.js', './sub/../c.js', '/else/d.js', '-', '='],
    }
    const scripts = (runs: Runs) => lines(runs, port).flatMap((line) => /^script (.+): /.exec(line)?.[1] ?? [])
    expect(scripts({ command })).toEqual(['./a.js', './b.js'])
    expect(scripts({ command, scripts: ['/else/d.js', './a.js'] })).toEqual(['/else/d.js', './a.js', './b.js'])
  })

  it('knows the paths of Windows', () => {
    const files: Readonly<Record<string, string>> = { 'C:\\p\\run.js': 'x', 'C:/p/run.js': 'x', 'C:/P/run.js': 'x' }
    const port: HashPort = {
      ...machine({}),
      file: (path) =>
        path in files ? { sha256: files[path] ?? '', realPath: 'C:\\p\\run.js' } : { failure: 'missing', message: '' },
      realPath: (path) => (path === 'C:/p' ? 'C:\\p' : path in files ? 'C:\\p\\run.js' : undefined),
    }
    const show = (file: string) =>
      describeSubject(consentTo(subject({ command: { file, args: [] } }, { root: 'C:\\p' }), port))
    expect(show('.\\run.js').slice(2)).toEqual(['folder: C:/p', 'runs: ".\\\\run.js"', 'script ./run.js: sha256 x'])
    expect(show('C:\\P\\run.js').at(-1)).toBe('script C:/P/run.js: -> ./run.js sha256 x')
  })

  it('refuses a subject that says nothing: an approval of nothing would cover anything', () => {
    expect(() => consentTo(subject({}), machine({}))).toThrow(ExtError)
  })
})

// Characters from which one text could be made to look like another.
const tricky = fc.string({
  unit: fc.constantFrom(...'a: "\\\n\t|->(){}u20b,'.split(''), '\u200b', '\r', '\ud800', '\u202e', 'é'),
})
const list = fc.array(tricky, { maxLength: 3 })
const map = fc.dictionary(tricky, tricky, { maxKeys: 2, noNullPrototype: true })
const FILES = ['/p/run.sh', '/p/lib/x.sh']

const world = fc.record({
  kind: tricky,
  name: tricky,
  contents: fc.tuple(tricky, tricky),
  runs: fc.record(
    {
      command: fc.oneof(
        fc.record({ file: tricky, args: fc.array(fc.oneof(tricky, fc.constant('lib/x.sh')), { maxLength: 3 }) }),
        fc.record({ shell: fc.constantFrom('sh', 'bash'), script: tricky }),
      ),
      scripts: fc.subarray(['run.sh', '/p/lib/x.sh']),
      cwd: fc.constantFrom('/p', '/p/lib', '/else'),
      url: tricky,
      host: tricky,
      prompt: tricky,
      headers: map,
      env: map,
      passEnv: list,
      sends: fc.oneof(fc.constant('everything' as const), list),
      tools: list,
      believesAnnotations: fc.boolean(),
      also: fc.dictionary(tricky, list, { maxKeys: 2, noNullPrototype: true }),
    },
    { requiredKeys: ['prompt'] },
  ),
})
type World = typeof world extends fc.Arbitrary<infer T> ? T : never

function consentIn({ kind, name, contents, runs }: World) {
  const files = Object.fromEntries(FILES.map((path, index) => [path, contents[index] ?? '']))
  return consentTo({ kind, name, root: '/p', runs: runs as Runs }, machine(files))
}

/** What matters of a world: the order of sets and maps does not, nor does a file that nothing names. */
function meaning({ kind, name, contents, runs }: World): unknown {
  const set = (items: readonly string[]) => [...new Set(items)].sort()
  const entries = (record: object = {}) => Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))
  const { command, cwd, scripts = [] } = runs
  const base = cwd ?? '/p'
  const named = [...scripts, ...(command && 'args' in command ? command.args.filter((arg) => arg === 'lib/x.sh') : [])]
  const covered = set(named.map((path) => (path.startsWith('/') ? path : `${base}/${path}`)))
  return entries({
    ...runs,
    kind,
    name,
    scripts: covered.flatMap((path): readonly unknown[] => {
      const known = FILES.indexOf(path)
      // A word that names no file is no script; a script of the list that is missing is one.
      return known < 0 ? (scripts.some((each) => path.endsWith(each)) ? [path] : []) : [[path, contents[known]]]
    }),
    headers: entries(runs.headers),
    env: entries(runs.env),
    also: entries(runs.also).map(([key, value]) => [key, set(value)]),
    passEnv: runs.passEnv && set(runs.passEnv),
    tools: runs.tools && set(runs.tools),
    sends: Array.isArray(runs.sends) ? set(runs.sends) : runs.sends,
  })
}

describe('the hash', () => {
  it('covers what is shown, no more and no less, whatever one field is changed to', () => {
    const two = fc.tuple(world, world, fc.nat()).map(([one, other, index]) => {
      const fields = ['kind', 'name', 'contents', ...Object.keys({ ...one.runs, ...other.runs })]
      const field = fields[index % fields.length] ?? 'kind'
      if (field in one && field !== 'runs') return [one, { ...one, [field]: other[field as keyof World] }] as const
      const { [field as keyof World['runs']]: _, ...rest } = one.runs
      const value = other.runs[field as keyof World['runs']]
      return [one, { ...one, runs: value === undefined ? rest : { ...rest, [field]: value } } as World] as const
    })
    fc.assert(
      fc.property(two, ([one, other]) => {
        const [a, b] = [consentIn(one), consentIn(other)]
        const isShownAlike = JSON.stringify(describeSubject(a)) === JSON.stringify(describeSubject(b))
        expect(a.hash === b.hash).toBe(isShownAlike)
        expect(isShownAlike).toBe(JSON.stringify(meaning(one)) === JSON.stringify(meaning(other)))
      }),
      { numRuns: 2000 },
    )
  })

  it('does not depend on the order in which things are written', () => {
    const one = lines({ passEnv: ['A', 'B'], env: { X: '1', Y: '2' }, tools: ['T', 'U', 'T'], prompt: 'p' })
    expect(lines({ prompt: 'p', tools: ['U', 'T'], env: { Y: '2', X: '1' }, passEnv: ['B', 'A'] })).toEqual(one)
  })
})
