import type { AuthorizeRequest, SessionRef } from '@ext/kernel/contract'
import { describe, expect, test } from 'vitest'
import { bash, permissionWith, request, serverTool, session } from './support.js'

const tools = {
  mcp__fs__write_file: { as: 'Edit', path: 'path' },
  mcp__fs__move_file: { as: 'Edit', path: ['source', 'destination'] },
  mcp__fs__read_file: { as: 'Read', path: 'path' },
  mcp__box__run: { as: 'Bash', command: 'cmd' },
  mcp__net__get: { as: 'WebFetch', url: 'uri' },
}

const everything = ['Bash', 'Edit', 'Read', 'WebFetch', 'mcp__fs', 'mcp__box', 'mcp__net']

type Hand = readonly [name: string, call: (path: string) => AuthorizeRequest]

const WRITERS: readonly Hand[] = [
  ['Edit', (path) => request('Edit', { file_path: path })],
  ['Write', (path) => request('Write', { file_path: path })],
  ['MultiEdit', (path) => request('MultiEdit', { file_path: path })],
  ['NotebookEdit', (path) => request('NotebookEdit', { notebook_path: path })],
  ['a redirect', (path) => bash(`echo x > ${path}`)],
  ['an appending redirect', (path) => bash(`echo x >> ${path}`)],
  ['a redirect that clobbers', (path) => bash(`echo x >| ${path}`)],
  ['a redirect of errors', (path) => bash(`ls 2> ${path}`)],
  ['a redirect in front', (path) => bash(`> ${path} echo x`)],
  ['a redirect of a group', (path) => bash(`{ echo a; echo b; } > ${path}`)],
  ['a here document', (path) => bash(`cat <<E > ${path}\nx\nE`)],
  ['tee', (path) => bash(`echo x | tee ${path}`)],
  ['tee -a', (path) => bash(`echo x | tee -a ${path}`)],
  ['sed -i', (path) => bash(`sed -i s/a/b/ ${path}`)],
  ['cp', (path) => bash(`cp a ${path}`)],
  ['mv', (path) => bash(`mv a ${path}`)],
  ['mv away', (path) => bash(`mv ${path} b`)],
  ['rm', (path) => bash(`rm ${path}`)],
  ['ln', (path) => bash(`ln -sf a ${path}`)],
  ['dd', (path) => bash(`dd if=/dev/null of=${path}`)],
  ['truncate', (path) => bash(`truncate -s 0 ${path}`)],
  ['touch', (path) => bash(`touch ${path}`)],
  ['curl -o', (path) => bash(`curl -o ${path} https://a.test`)],
  ['sort -o', (path) => bash(`sort -o ${path} f`)],
  ['sh -c', (path) => bash(`sh -c 'echo x > ${path}'`)],
  ['sudo tee', (path) => bash(`sudo tee ${path} < f`)],
  ['cd first', (path) => bash(`cd src && cp a ../${path}`)],
  ['an MCP write_file', (path) => request(serverTool('fs', 'write_file'), { path })],
  ['an MCP move_file', (path) => request(serverTool('fs', 'move_file'), { source: 'a', destination: path })],
  ['an MCP shell', (path) => request(serverTool('box', 'run'), { cmd: `echo x > ${path}` })],
]

const READERS: readonly Hand[] = [
  ['Read', (path) => request('Read', { file_path: path })],
  ['Grep', (path) => request('Grep', { pattern: 'x', path })],
  ['cat', (path) => bash(`cat ${path}`)],
  ['head', (path) => bash(`head -n 1 ${path}`)],
  ['a redirect', (path) => bash(`wc -l < ${path}`)],
  ['cp', (path) => bash(`cp ${path} x`)],
  ['grep -f', (path) => bash(`grep -f${path} y`)],
  ['a substitution', (path) => bash(`echo "$(cat ${path})"`)],
  ['cd first', (path) => bash(`cd src && cat ../${path}`)],
  ['source', (path) => bash(`. ./${path}`)],
  ['an MCP read_file', (path) => request(serverTool('fs', 'read_file'), { path })],
]

const sessions: readonly (readonly [string, Partial<SessionRef>])[] = [
  ['the main session', {}],
  ['a sub-agent', { origin: 'agent', agent: { id: 'a1', type: 'Explore' } }],
]

describe('one rule governs all hands', () => {
  for (const [who, ref] of sessions) {
    test.each(WRITERS)(`deny: Edit(.env) of ${who} holds for %s`, async (_name, call) => {
      const permission = await permissionWith({ tools, rules: { allow: everything, deny: ['Edit(.env)'] } })
      for (const permissionMode of ['default', 'acceptEdits', 'bypassPermissions'] as const) {
        const here = permission.session(session({ ...ref, permissionMode }))
        expect(here.decide(call('.env'))).toMatchObject({ behavior: 'deny', decidedBy: { rule: 'Edit(.env)' } })
        expect(here.decide(call('env.txt')).behavior).not.toBe('deny')
      }
    })

    test.each([...READERS, ...WRITERS])(`deny: Read(.env) of ${who} holds for %s`, async (_name, call) => {
      const permission = await permissionWith({ tools, rules: { allow: everything, deny: ['Read(.env)'] } })
      const here = permission.session(session(ref))
      expect(here.decide(call('.env'))).toMatchObject({ behavior: 'deny', decidedBy: { rule: 'Read(.env)' } })
      expect(here.decide(call('env.txt')).behavior).not.toBe('deny')
    })
  }

  test.each(WRITERS)('ask: Edit(.env) asks %s', async (_name, call) => {
    const permission = await permissionWith({ tools, rules: { allow: everything, ask: ['Edit(.env)'] } })
    expect(permission.session(session()).decide(call('.env')).behavior).toBe('ask')
  })

  test.each(READERS)('what is only read is not denied by deny: Edit(.env): %s', async (_name, call) => {
    const permission = await permissionWith({ tools, rules: { allow: everything, deny: ['Edit(.env)'] } })
    expect(permission.session(session()).decide(call('.env')).behavior).not.toBe('deny')
  })

  test('a rule about a whole tool holds for what commands do as well', async () => {
    const permission = await permissionWith({ tools, rules: { allow: ['Bash'], deny: ['Edit', 'WebFetch'] } })
    const here = permission.session(session())
    expect(here.decide(bash('echo x > a')).behavior).toBe('deny')
    expect(here.decide(bash('curl https://a.test')).behavior).toBe('deny')
    expect(here.decide(bash('curl "$URL"')).behavior).toBe('deny')
    expect(here.decide(bash('rm src/*.ts')).behavior).toBe('deny')
    expect(here.decide(bash('echo x > "$FILE"')).behavior).toBe('deny')
    expect(here.decide(bash('cat a')).behavior).toBe('allow')
    const all = (await permissionWith({ rules: { allow: ['Bash'], deny: ['Edit(*)'] } })).session(session())
    expect(all.decide(bash('rm src/*.ts')).behavior).toBe('deny')
  })

  test.each([
    ['WebFetch', request('WebFetch', { url: 'https://evil.test/x' })],
    ['curl', bash('curl -s https://evil.test/x | cat')],
    ['curl without a scheme', bash('curl evil.test/x')],
    ['wget', bash('wget -q https://EVIL.test./x')],
    ['curl in a substitution', bash('echo "$(curl https://evil.test)"')],
    ['an MCP fetch', request(serverTool('net', 'get'), { uri: 'https://evil.test' })],
  ] as const)('deny: WebFetch(domain:evil.test) holds for %s', async (_name, asked) => {
    const permission = await permissionWith({
      tools,
      rules: { allow: everything, deny: ['WebFetch(domain:evil.test)'] },
    })
    const here = permission.session(session())
    expect(here.decide(asked)).toMatchObject({ behavior: 'deny', decidedBy: { rule: 'WebFetch(domain:evil.test)' } })
    expect(here.decide(bash('curl https://good.test')).behavior).toBe('allow')
    expect(here.decide(bash('curl "$URL"')).behavior).toBe('ask')
  })

  test.each([
    'helm repo add x https://evil.test/charts',
    'mytool --url=https://EVIL.test./x',
    'echo https://a@evil.test/',
  ])('a denied host that `%s` names is asked at least', async (line) => {
    const rules = { allow: everything, deny: ['WebFetch(domain:evil.test)'] }
    const here = (await permissionWith({ tools, rules })).session(session())
    expect(here.decide(bash(line)).behavior).not.toBe('allow')
    expect(here.decide(bash(line.replace(/evil/i, 'good'))).behavior).toBe('allow')
  })

  test('a denied file that lies in a folder which is read as a whole is asked', async () => {
    for (const rule of ['Read(.env)', 'Read(./.env)', 'Read(**/.env)']) {
      const here = (await permissionWith({ rules: { allow: everything, deny: [rule] } })).session(session())
      expect(here.decide(bash('tar czf x.tgz .')).behavior, rule).toBe('ask')
      expect(here.decide(bash('cp -r .. x')).behavior, rule).toBe('ask')
      expect(here.decide(bash('tar czf x.tgz src')).behavior, rule).toBe('allow')
    }
  })

  test('an allow rule about files lets no command run', async () => {
    const here = (await permissionWith({ tools, rules: { allow: ['Edit', 'Read', 'WebFetch'] } })).session(session())
    for (const line of ['cat a', 'echo x > a', 'curl https://a.test'])
      expect(here.decide(bash(line)).behavior).toBe('ask')
  })
})
