import { memoryFiles } from '@ext/kernel/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bash, permissionWith, request, rulesOf, serverTool, session, tool } from './support.js'

describe('an explanation', () => {
  test('of a command line names units, folders, effects, the rule with its place, all layers, and the narrowest rule', async () => {
    const path = '/repo/.ext/config.yaml'
    const files = memoryFiles({ [path]: 'permissions:\n  ask:\n    - Bash(git push *)\n' })
    const permission = await permissionWith({
      files,
      layers: [{ kind: 'file', layer: 'project', dialect: 'ext', path }, rulesOf({ allow: ['Bash(tee *)'] })],
    })
    const line = 'cd .. && FOO=1 timeout 5 git -C repo push --force | tee repo/out'
    const explanation = await permission.session(session()).explain(bash(line))
    expect(explanation).toMatchObject({
      cwd: '/repo',
      mode: 'default',
      units: [
        { argv: ['cd', '..'], cwd: '/repo', allowedBy: 'nothing' },
        {
          argv: ['timeout', '5', 'git', '-C', 'repo', 'push', '--force'],
          cwd: '/',
          env: [{ name: 'FOO', value: '1' }],
        },
        { argv: ['git', '-C', 'repo', 'push', '--force'], via: ['timeout'], allowedBy: 'nothing' },
        { argv: ['tee', 'repo/out'], allowedBy: 'rule', rule: 'Bash(tee *)' },
      ],
      effects: expect.arrayContaining([expect.objectContaining({ kind: 'write', path: '/repo/out' })]),
      decision: {
        behavior: 'ask',
        decidedBy: { layer: 'rules', rule: 'Bash(git push *)', source: { file: path, line: 3, column: 7 } },
      },
    })
    expect(explanation.decision.trace.map(({ layer }) => layer)).toEqual([
      ...['critical', 'boundary', 'shell', 'rules', 'mode', 'opinion', 'default'],
    ])
    // An ask rule stands in the way of every allow rule.
    expect(explanation.narrowest).toEqual([])
  })

  test('names the narrowest rule for a line that only lacks one', async () => {
    const here = (await permissionWith()).session(session())
    const { narrowest } = await here.explain(bash('cd .. && FOO=1 timeout 5 git -C repo push --force'))
    expect(narrowest.map(({ rule }) => rule)).toEqual(['Bash(cd ..)', 'Bash(FOO=1 timeout 5 git -C repo push --force)'])
    expect(narrowest[0]?.alsoAllows).toMatch(/^The same command in every folder/)
  })

  test('says where paths lead, and what could not be judged', async () => {
    const files = {
      ...memoryFiles({ '/repo/a': '' }),
      realPath: async (path: string) => path.replace('/repo/link', '/etc'),
    }
    const here = (await permissionWith({ files })).session(session())
    expect((await here.explain(request('Read', { file_path: 'link/x' }))).paths).toEqual([
      { path: '/repo/link/x', leadsTo: ['/etc/x'] },
    ])
    expect(await here.explain(bash('cat link/x; eval "$X"'))).toMatchObject({
      paths: [{ path: '/repo/link/x', leadsTo: ['/etc/x'] }],
      unknowns: [
        { code: 'program', answered: false },
        { code: 'program', answered: false },
      ],
    })
    expect((await here.explain(bash('rm -rf /'))).critical).toMatchObject([{ what: expect.stringContaining('/') }])
  })
})

describe('the narrowest rules', () => {
  const rulesFor = async (asked: ReturnType<typeof bash>, rules = {}) => {
    const { narrowest } = await (await permissionWith({ rules })).session(session()).explain(asked)
    return narrowest.map(({ rule }) => rule)
  }

  test.each([
    [bash('npm test'), ['Bash(npm test)']],
    [bash('npm test && git commit -m "a * b"'), ['Bash(npm test)', "Bash(git commit -m 'a \\* b')"]],
    [bash('npm test | npm test'), ['Bash(npm test)']],
    [bash('timeout 5 npm test'), ['Bash(npm test)']],
    [bash('npx tsc'), ['Bash(npx tsc)']],
    [bash('npm test > /tmp/out'), ['Bash(npm test)', 'Edit(//tmp/out)']],
    [bash('rm -rf /'), []],
    [bash('npm test $('), []],
    [bash('npm test > .git/config'), []],
    [request('Read', { file_path: '/etc/a[b]*' }), ['Read(//etc/a\\[b\\]\\*)']],
    [request('Write', { file_path: 'src/a b' }), ['Edit(//repo/src/a b)']],
    [request('Grep', { pattern: 'x', path: 'src' }), ['Read(//repo/src/**)']],
    [request('Edit', { file_path: '.git/config' }), []],
    [request('WebFetch', { url: 'https://EXAMPLE.com:1/x' }), ['WebFetch(domain:example.com)']],
    [request('WebFetch', { url: 'https://a@example.com/' }), []],
    [request('Agent', { subagent_type: 'Explore' }), ['Agent(Explore)']],
    [request(tool('Skill', { kind: 'exec' }), { skill: 'deploy', args: 'to prod' }), ['Skill(deploy to prod)']],
    [request(serverTool('git__hub', 'push')), ['mcp__git__hub__push']],
    [request('Deploy', { target: 'x' }), ['Deploy']],
  ] as const)('for %j', async (asked, expected) => {
    expect(await rulesFor(asked as ReturnType<typeof bash>)).toEqual(expected)
  })

  test('are not offered where a deny or ask rule or the mode stands in the way', async () => {
    expect(await rulesFor(bash('npm test'), { ask: ['Bash(npm *)'] })).toEqual([])
    expect(await rulesFor(bash('npm test'), { deny: ['Bash(npm *)'] })).toEqual([])
    const plan = (await permissionWith()).session(session({ permissionMode: 'plan' }))
    expect((await plan.explain(bash('npm test'))).narrowest).toEqual([])
  })

  test('allow what they were made for, and no other words', async () => {
    const word = fc.constantFrom('a', '*', "it's", 'a b', '-x', 'x:*', '"', '\\', 'é', '$', '(', 'Bash(')
    const quote = (words: readonly string[]) => words.map((each) => `'${each.replaceAll("'", `'\\''`)}'`).join(' ')
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 3 }), fc.array(word, { maxLength: 3 }), async (words, others) => {
        const rules = await rulesFor(bash(`tool ${quote(words)}`))
        const here = (await permissionWith({ rules: { allow: rules } })).session(session())
        if (rules.length > 0) expect(here.decide(bash(`tool ${quote(words)}`)).behavior).toBe('allow')
        const same = JSON.stringify(words) === JSON.stringify(others)
        if (!same) expect(here.decide(bash(`tool ${quote(others)}`)).behavior).toBe('ask')
      }),
      { numRuns: 100 },
    )
  })
})
