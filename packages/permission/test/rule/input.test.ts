import { describe, expect, test } from 'vitest'
import { command, compiled, matches, ofServer, plainTool } from './support.js'

const allow = { effect: 'allow' } as const
const deny = { effect: 'deny' } as const

const agent = (input: object) => ({ tool: plainTool('Agent'), input })
const skill = (input: object) => ({ tool: plainTool('Skill'), input })

describe('a rule about what is started', () => {
  test('names a sub-agent', () => {
    for (const direction of [allow, deny]) {
      expect(matches('Agent(Explore)', agent({ subagent_type: 'Explore', prompt: 'x' }), direction)).toBe(true)
      expect(matches('Agent(Explore)', agent({ subagent_type: 'Explorer' }), direction)).toBe(false)
      expect(matches('Agent', agent({}), direction)).toBe(true)
    }
    expect(matches('Agent(explore)', agent({ subagent_type: 'Explore' }), deny)).toBe(true)
    expect(matches('Agent(explore)', agent({ subagent_type: 'Explore' }), allow)).toBe(false)
  })

  test('of a sub-agent holds under its older name too', () => {
    expect(matches('Task(Explore)', agent({ subagent_type: 'Explore' }), deny)).toBe(true)
    expect(matches('Agent(Explore)', { tool: plainTool('Task'), input: { subagent_type: 'Explore' } }, deny)).toBe(true)
  })

  test('lets a sub-agent of the host pass whose type the call leaves out, but no type that is no text', () => {
    expect(matches('Agent(Explore)', agent({}), deny)).toBe(false)
    expect(matches('Agent(Explore)', agent({}), allow)).toBe(false)
  })

  test.each([
    ['Skill(deploy)', 'deploy', true],
    ['Skill(deploy)', 'deployment', false],
    ['Skill(deploy *)', 'deploy', true],
    ['Skill(deploy:*)', 'deploy', true],
    ['Skill(deploy:*)', 'deployment', false],
    ['Skill(deploy*)', 'deployment', true],
    ['Skill(team:deploy)', 'team:deploy', true],
    ['Skill(team:*)', 'team:deploy', false],
    ['Skill(team:*)', 'team', true],
    ['Skill(deploy)', '/deploy', true],
  ])('%s on `%s`: %s', (rule, name, expected) => {
    expect(matches(rule, skill({ skill: name }), allow)).toBe(expected)
    expect(matches(rule, skill({ skill: name }), deny)).toBe(expected)
  })

  test('allows a skill alone, and with what is behind its name only where it says so; denies both', () => {
    for (const input of [
      { skill: 'deploy', args: 'prod' },
      { name: 'deploy', arguments: 'prod' },
    ]) {
      expect(matches('Skill(deploy)', skill(input), allow)).toBe(false)
      expect(matches('Skill(deploy *)', skill(input), allow)).toBe(true)
      expect(matches('Skill(deploy prod)', skill(input), allow)).toBe(true)
      expect(matches('Skill(deploy)', skill(input), deny)).toBe(true)
      expect(matches('Skill(deploy staging)', skill(input), deny)).toBe(false)
    }
  })

  test('about a skill denies a call that names none, or two', () => {
    for (const input of [{}, { skill: 5 }, { skill: 'a', name: 'b' }]) {
      expect(matches('Skill(deploy)', skill(input), deny)).toBe(true)
      expect(matches('Skill(*)', skill(input), allow)).toBe(false)
    }
  })

  test('about a skill holds for the tool that the table calls one', () => {
    const tools = { load_skill: { as: 'Skill' } }
    const call = { tool: plainTool('load_skill'), input: { name: 'deploy' } }
    expect(matches('Skill(deploy)', call, { ...deny, tools })).toBe(true)
    expect(matches('Skill(release)', call, { ...deny, tools })).toBe(false)
  })
})

describe('a rule about a field of the input', () => {
  test.each([
    ['Agent(model:opus)', 'Agent', { subagent_type: 'Plan', model: 'opus' }, true],
    ['Agent(model:opus)', 'Agent', { subagent_type: 'Plan', model: 'haiku' }, false],
    ['Agent(model:opus)', 'Agent', { subagent_type: 'Plan' }, false],
    ['Agent(model:*)', 'Agent', { model: 'opus' }, true],
    ['Bash(run_in_background:true)', 'Bash', { command: 'ls', run_in_background: true }, true],
    ['Bash(run_in_background:true)', 'Bash', { command: 'ls', run_in_background: false }, false],
    ['Bash(timeout:6*)', 'Bash', { command: 'ls', timeout: 600 }, true],
    ['Deploy(target:prod*)', 'Deploy', { target: 'production' }, true],
    ['Deploy(target:prod*)', 'Deploy', { target: null }, false],
    ['Deploy(target:prod*)', 'Deploy', { target: ['staging', 'prod'] }, true],
    ['Deploy(target:prod*)', 'Deploy', { target: { name: 'staging' } }, true],
    ['Deploy(__proto__:x)', 'Deploy', {}, false],
  ])('%s on %s %j: %s', (rule, tool, input, expected) => {
    expect(matches(rule, { tool: plainTool(tool), input }, deny)).toBe(expected)
    expect(matches(rule, { tool: plainTool(tool), input }, { effect: 'ask' })).toBe(expected)
  })

  test('can be one of a tool of a server', () => {
    const call = { tool: ofServer('github', 'create_issue'), input: { repo: 'secret' } }
    expect(matches('mcp__github__create_issue(repo:secret)', call, deny)).toBe(true)
    expect(matches('mcp__github__*(repo:other)', call, deny)).toBe(false)
    expect(compiled('mcp__github__create_issue(secret)', deny).problem).toBeDefined()
  })

  test('allows nothing', () => {
    for (const rule of ['Agent2(model:opus)', 'mcp__github(repo:x)', 'Deploy(target:prod)']) {
      expect(compiled(rule, allow).problem?.problem).toContain('deny and ask')
    }
    expect(matches('Bash(run_in_background:true)', command('ls'), allow)).toBe(false)
  })

  test.each(['Bash(command:rm *)', 'Read(file_path:.env)', 'WebFetch(url:http://x)', 'Skill(skill:x)', 'Grep(path:x)'])(
    '%s names what the tool is about, which is a problem',
    (rule) => {
      expect(compiled(rule, deny).problem?.hint).toContain('alone')
    },
  )
})

describe('several rules together', () => {
  test('are parsed and compiled, and each fault costs its rule only', async () => {
    const { compileRules, allowsReading, readCall } = await import('../../src/rule/index.js')
    const context = {
      effect: 'allow',
      anchors: { cwd: '/repo', home: '/home/u', sourceDir: '/repo', ignoreCase: false },
      tools: {},
    } as const
    const { rules, problems } = compileRules(['Bash(git add *)', 'Bash(', 'mcp__*', 'Bash(git commit *)'], context)
    expect(problems.map(({ text }) => text)).toEqual(['Bash(', 'mcp__*'])
    const allows = (line: string) => allowsReading(rules, readCall(command(line), context))
    expect(allows('git add . && git commit -m x')).toBe(true)
    expect(allows('git add . && git push')).toBe(false)
    expect(allows('git add "$(id)"')).toBe(false)
  })
})
