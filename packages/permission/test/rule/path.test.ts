import type { Behavior } from '@ext/kernel/contract'
import { describe, expect, test } from 'vitest'
import { compiled, file, matches, plainTool } from './support.js'

const allow = { effect: 'allow' } as const
const deny = { effect: 'deny' } as const
const BOTH: readonly Behavior[] = ['allow', 'deny']

describe('where a path pattern starts', () => {
  test.each([
    ['Read(//etc/passwd)', '/etc/passwd', true],
    ['Read(//etc/passwd)', '/repo/etc/passwd', false],
    ['Read(~/.ssh/**)', '/home/u/.ssh/id_rsa', true],
    ['Read(~/.ssh/**)', '~/.ssh/id_rsa', true],
    ['Read(~/.ssh/**)', '/repo/.ssh/id_rsa', false],
    ['Edit(/docs/**)', '/repo/conf/docs/a.md', true],
    ['Edit(/docs/**)', '/repo/docs/a.md', false],
    ['Read(./.env)', '/repo/.env', true],
    ['Read(./.env)', '.env', true],
    ['Read(./.env)', '/repo/a/.env', false],
    ['Read(.env)', '/repo/.env', true],
    ['Read(.env)', '/repo/a/b/.env', true],
    ['Read(.env)', '/other/.env', false],
    ['Read(a/b/**)', '/repo/a/b/c', true],
    ['Read(a/b/**)', '/repo/x/a/b/c', false],
    ['Read(*.pem)', '/repo/a/b.pem', true],
    ['Read(src)', '/repo/src/a/b', true],
    ['Edit(./[x] a/**)', '/repo/x a/f', true],
  ])('%s on %s: %s, as allow and as deny', (rule, path, expected) => {
    const tool = rule.slice(0, 4)
    for (const effect of BOTH) expect(matches(rule, file(tool, path), { effect }), effect).toBe(expected)
  })

  test('`dir/**` is the one at the top for allow, and one at any depth for deny and ask', () => {
    for (const [path, atTop] of [
      ['/repo/src/a.ts', true],
      ['/repo/lib/src/a.ts', false],
    ] as const) {
      expect(matches('Read(src/**)', file('Read', path), allow)).toBe(atTop)
      expect(matches('Read(src/**)', file('Read', path), deny)).toBe(true)
      expect(matches('Read(src/**)', file('Read', path), { effect: 'ask' })).toBe(true)
      expect(matches('Read(./src/**)', file('Read', path), deny)).toBe(atTop)
    }
  })

  test('`*` and `**` are everything for deny, and the working folder for allow', () => {
    for (const rule of ['Read(*)', 'Read(**)']) {
      expect(matches(rule, file('Read', '/etc/passwd'), deny)).toBe(true)
      expect(matches(rule, file('Read', '/etc/passwd'), allow)).toBe(false)
      expect(matches(rule, file('Read', '/repo/a/b'), allow)).toBe(true)
    }
  })
})

describe('a path is taken for what it leads to', () => {
  test.each(['/repo/src/../.env', '/repo//./.env', './src/../.env', '/repo/src/../../repo/.env', '/../repo/.env'])(
    '%s is .env',
    (path) => {
      expect(matches('Read(./.env)', file('Read', path), deny)).toBe(true)
      expect(matches('Read(./src/**)', file('Read', path), allow)).toBe(false)
    },
  )

  test('a common beginning is not a common folder', () => {
    expect(matches('Read(./src/**)', file('Read', '/repo/src-secret/x'), allow)).toBe(false)
    expect(matches('Read(./src/**)', file('Read', '/repo-2/src/x'), allow)).toBe(false)
  })

  test('a folder counts for what lies in it when it is denied', () => {
    expect(matches('Read(./secrets/**)', { tool: plainTool('Grep'), input: { path: '/repo/secrets' } }, deny)).toBe(
      true,
    )
    expect(matches('Edit(./secrets/**)', file('Edit', 'secrets'), deny)).toBe(true)
  })

  test.each(['C:\\repo\\.env::$DATA', 'src\\..\\.env', 'src/\0x', 'C:/repo/.env'])(
    'what can not be judged, such as %j, is denied and never allowed',
    (path) => {
      expect(matches('Read(./.env)', file('Read', path), deny)).toBe(true)
      expect(matches('Read(./**)', file('Read', path), allow)).toBe(false)
    },
  )

  test.each([{}, { file_path: 3 }, { file_path: '' }, { path: '/repo/src/a' }])(
    'a call with %j names no path: denied and never allowed',
    (input) => {
      const call = { tool: plainTool('Read'), input }
      expect(matches('Read(./.env)', call, deny)).toBe(true)
      expect(matches('Read(./**)', call, allow)).toBe(false)
      expect(matches('Read', call, allow)).toBe(true)
    },
  )

  test('real paths count too: all for an allow rule, one for a deny rule', () => {
    const call = { ...file('Read', '/repo/src/link'), links: new Map([['/repo/src/link', ['/repo/.env']]]) }
    expect(matches('Read(./src/**)', call, allow)).toBe(false)
    expect(matches('Read(./**)', call, allow)).toBe(true)
    expect(matches('Read(./.env)', call, deny)).toBe(true)
    expect(matches('Read(./src/**)', call, deny)).toBe(true)
  })

  test('case and composition of letters are folded where the file system folds them, and for deny', () => {
    const mac = { ignoreCase: true, ignoreForm: true }
    expect(matches('Edit(./.env)', file('Edit', '/repo/.ENV'), { ...deny, ...mac })).toBe(true)
    expect(matches('Edit(./.env)', file('Edit', '/repo/.ENV'), deny)).toBe(false)
    expect(matches('Edit(./.env)', file('Edit', '/repo/.ENV'), { ...allow, ...mac })).toBe(false)
    expect(matches('Read(./caf\u00e9/**)', file('Read', '/repo/cafe\u0301/a'), deny)).toBe(true)
    expect(matches('Read(./caf\u00e9/**)', file('Read', '/repo/cafe\u0301/a'), { ...allow, ...mac })).toBe(true)
    expect(matches('Read(./caf\u00e9/**)', file('Read', '/repo/cafe\u0301/a'), allow)).toBe(false)
  })
})

describe('which tools a path rule speaks about', () => {
  const notebook = { tool: plainTool('NotebookEdit'), input: { notebook_path: '/repo/a/b.ipynb' } }
  const grep = { tool: plainTool('Grep'), input: { pattern: 'x', path: '/repo/src' } }

  test('Edit stands for every tool that edits, Read for every tool that reads', () => {
    for (const effect of BOTH) {
      expect(matches('Edit(./**)', file('Write', '/repo/a'), { effect })).toBe(true)
      expect(matches('Edit(./**)', file('MultiEdit', '/repo/a'), { effect })).toBe(true)
      expect(matches('Edit(**/*.ipynb)', notebook, { effect })).toBe(true)
      expect(matches('Read(./src/**)', grep, { effect })).toBe(true)
      expect(matches('Edit', file('Write', '/repo/a'), { effect })).toBe(true)
      expect(matches('Read', grep, { effect })).toBe(true)
    }
  })

  test('Write or Grep with a path deny it to all their siblings, and allow it only to themselves', () => {
    expect(matches('Write(./a)', file('Edit', '/repo/a'), deny)).toBe(true)
    expect(matches('Write(./a)', file('Edit', '/repo/a'), allow)).toBe(false)
    expect(matches('Write(./a)', file('Write', '/repo/a'), allow)).toBe(true)
    expect(matches('Grep(./a)', file('Read', '/repo/a'), deny)).toBe(true)
    expect(matches('Grep(./a)', file('Read', '/repo/a'), allow)).toBe(false)
  })

  test('Write or Grep without a path are themselves only', () => {
    expect(matches('Write', file('Edit', '/repo/a'), deny)).toBe(false)
    expect(matches('Grep', file('Read', '/repo/a'), deny)).toBe(false)
  })

  test('what may not be read may not be edited, but what may be edited may not be read', () => {
    expect(matches('Read(./.env)', file('Write', '/repo/.env'), deny)).toBe(true)
    expect(matches('Read(./.env)', file('Write', '/repo/.env'), { effect: 'ask' })).toBe(false)
    expect(matches('Read(./.env)', file('Write', '/repo/.env'), allow)).toBe(false)
    expect(matches('Edit(./.env)', file('Read', '/repo/.env'), allow)).toBe(false)
    expect(matches('Edit(./.env)', file('Read', '/repo/.env'), deny)).toBe(false)
  })

  test('the tool table makes one rule hold for tools of servers', () => {
    const tools = { mcp__fs__write_file: { as: 'Edit', path: 'path' }, mcp__fs__read: { as: 'Read', path: 'uri' } }
    const write = {
      tool: { name: 'mcp__fs__write_file', source: { server: 'fs', tool: 'write_file' } },
      input: { path: '.env' },
    }
    const read = { tool: { name: 'mcp__fs__read', source: { server: 'fs', tool: 'read' } }, input: { uri: 'a/.env' } }
    for (const effect of BOTH) {
      expect(matches('Edit(.env)', write, { effect, tools })).toBe(true)
      expect(matches('Read(.env)', read, { effect, tools })).toBe(true)
    }
    expect(matches('Read(.env)', write, { ...deny, tools })).toBe(true)
    expect(matches('Edit(.env)', write, deny)).toBe(false)
  })

  test('a tool can name several paths: deny looks at each of them, allow needs all', () => {
    const tools = {
      mcp__fs__move_file: { as: 'Edit', path: ['source', 'destination'] },
      mcp__fs__read_many: { as: 'Read', path: 'paths' },
    }
    const call = (tool: string, input: object) => ({
      tool: { name: `mcp__fs__${tool}`, source: { server: 'fs', tool } },
      input,
    })
    const move = (source: string, destination: unknown) => call('move_file', { source, destination })
    expect(matches('Edit(.env)', move('.env', 'x'), { ...deny, tools })).toBe(true)
    expect(matches('Edit(.env)', move('x', '.env'), { ...deny, tools })).toBe(true)
    expect(matches('Edit(.env)', move('x', 'y'), { ...deny, tools })).toBe(false)
    expect(matches('Edit(./src/**)', move('src/a', 'src/b'), { ...allow, tools })).toBe(true)
    expect(matches('Edit(./src/**)', move('a', 'src/b'), { ...allow, tools })).toBe(false)
    expect(matches('Read(.env)', call('read_many', { paths: ['a', 'b/.env'] }), { ...deny, tools })).toBe(true)
    expect(matches('Read(./src/**)', call('read_many', { paths: ['src/a', 'src/b'] }), { ...allow, tools })).toBe(true)
    // What can't be judged is denied and never allowed.
    for (const odd of [undefined, null, 5, '', [], ['src/a', 5]]) {
      expect(matches('Edit(.env)', move('src/a', odd), { ...deny, tools })).toBe(true)
      expect(matches('Edit(./src/**)', move('src/a', odd), { ...allow, tools })).toBe(false)
    }
  })

  test('a tool of a server is not what its name says', () => {
    const call = { tool: { name: 'Read', source: { server: 'odd', tool: 'Read' } }, input: { file_path: 'src/a' } }
    expect(matches('Read(./src/**)', call, allow)).toBe(false)
    expect(matches('Read', call, allow)).toBe(false)
    expect(matches('Read', call, deny)).toBe(true)
  })

  test('a search without a path is one of the working folder, and its glob may not leave the folder', () => {
    const glob = (pattern: string, path?: string) => ({
      tool: plainTool('Glob'),
      input: { pattern, ...(path === undefined ? {} : { path }) },
    })
    expect(matches('Read(./**)', glob('*.ts', 'src'), allow)).toBe(true)
    expect(matches('Read(./src/**)', glob('*.ts'), allow)).toBe(false)
    expect(matches('Read(./src/**)', glob('../../etc/*', 'src'), allow)).toBe(false)
    expect(matches('Read(./src/**)', glob('/etc/*', 'src'), allow)).toBe(false)
    expect(matches('Read(//etc/**)', glob('../etc/*'), deny)).toBe(true)
    for (const pattern of ['*/../../etc/*', '{/etc,a}/*', '{a,~/.ssh}/*']) {
      expect(matches('Read(./src/**)', glob(pattern, 'src'), allow), pattern).toBe(false)
      expect(matches('Read(//etc/**)', glob(pattern, 'src'), deny), pattern).toBe(true)
    }
    expect(matches('Read(./src/*.ts)', glob('*.ts', 'src'), allow)).toBe(false)
  })

  test.each([
    ['Glob', { pattern: '**/.env' }],
    ['Glob', { pattern: '.env', path: 'src' }],
    ['Grep', { pattern: 'KEY', glob: '.env' }],
    ['Grep', { pattern: 'KEY', path: '/repo/a', glob: '**/.env' }],
  ])('%s with %j looks for a denied file', (tool, input) => {
    expect(matches('Read(.env)', { tool: plainTool(tool), input }, deny)).toBe(true)
    expect(matches('Read(.env)', { tool: plainTool(tool), input: { pattern: '*.ts', glob: '*.ts' } }, deny)).toBe(false)
  })

  test('a file can be named by URL; another URL is no path', () => {
    const tools = { mcp__fs__read: { as: 'Read', path: 'uri' } }
    const read = (uri: string) => ({
      tool: { name: 'mcp__fs__read', source: { server: 'fs', tool: 'read' } },
      input: { uri },
    })
    for (const uri of ['file:///repo/.env', 'FILE:///repo/src/../.env', 'file:///repo/%2Eenv']) {
      expect(matches('Read(./.env)', read(uri), { ...deny, tools }), uri).toBe(true)
    }
    expect(matches('Read(./src/**)', read('file:///repo/src/a'), { ...allow, tools })).toBe(false)
    expect(matches('Read(./**)', read('file:///repo/src/a'), { ...allow, tools })).toBe(true)
    expect(matches('Read(./.env)', read('file:///repo/src/a'), { ...deny, tools })).toBe(false)
    for (const uri of ['https://a.test/repo/src/a', 'file://host/repo/src/a', 'file:///repo/src/%zz', 'vault://x']) {
      expect(matches('Read(./**)', read(uri), { ...allow, tools }), uri).toBe(false)
      expect(matches('Read(./.env)', read(uri), { ...deny, tools }), uri).toBe(true)
    }
  })

  test('names of tools are matched in any case by deny and ask', () => {
    expect(matches('read', file('Read', '/repo/a'), deny)).toBe(true)
    expect(matches('read', file('Read', '/repo/a'), allow)).toBe(false)
  })

  test('a pattern that says little is still a rule', () => {
    for (const pattern of ['[z-a]', '!x', '#x', '\\', '**', '{a,b}']) {
      expect(compiled(`Read(${pattern})`, allow).problem).toBeUndefined()
    }
  })

  test('a pattern that can never match says so, allows nothing and denies everything', () => {
    for (const pattern of ['//', '/', './', '~/', '[', 'a/../b', '/a//b', './../x']) {
      const call = file('Read', '/repo/a')
      expect(compiled(`Read(${pattern})`, allow).problem?.problem).toMatch(
        /^the path in its parentheses can never match: /,
      )
      expect(matches(`Read(${pattern})`, call, allow)).toBe(false)
      expect(matches(`Read(${pattern})`, call, deny)).toBe(true)
    }
  })
})
