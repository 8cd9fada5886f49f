import { describe, expect, test } from 'vitest'
import { compiled, matches, ofServer, plainTool } from './support.js'

const call = (server: string, tool: string) => ({ tool: ofServer(server, tool), input: {} })
const allow = { effect: 'allow' } as const
const deny = { effect: 'deny' } as const

describe('a rule for tools of a server', () => {
  test.each([
    ['mcp__github', 'github', 'get_issue', true],
    ['mcp__github__*', 'github', 'get_issue', true],
    ['mcp__github__get_*', 'github', 'get_issue', true],
    ['mcp__github__get_*', 'github', 'push', false],
    ['mcp__github__get_issue', 'github', 'get_issue', true],
    ['mcp__github__get_issue', 'github', 'get_issues', false],
    ['mcp__github', 'github_evil', 'get_issue', false],
    ['mcp__github__*', 'github_evil', 'get_issue', false],
    ['mcp__git__hub', 'git__hub', 'push', true],
    ['mcp__git__hub__*', 'git__hub', 'push', true],
    ['mcp__git__hub__push', 'git__hub', 'push', true],
  ])('%s on %s/%s: %s, as allow and as deny', (rule, server, tool, expected) => {
    expect(matches(rule, call(server, tool), allow)).toBe(expected)
    expect(matches(rule, call(server, tool), deny)).toBe(expected)
  })

  test('a server whose name begins with that of an allowed one is not allowed', () => {
    expect(matches('mcp__git__*', call('git__hub', 'push'), allow)).toBe(false)
    expect(matches('mcp__git', call('git__hub', 'push'), allow)).toBe(false)
    expect(matches('mcp__git__hub__*', call('git', 'hub__push'), allow)).toBe(false)
    expect(matches('mcp__git__hub__*', call('git', 'hub__push'), deny)).toBe(true)
    expect(matches('mcp__git__*', call('git__hub', 'push'), deny)).toBe(true)
  })

  test('wildcards in the server name deny and ask, but never allow', () => {
    for (const rule of ['mcp__*', 'mcp__git*', 'mcp__*__get_issue', '*']) {
      expect(matches(rule, call('github', 'get_issue'), deny), rule).toBe(true)
      expect(compiled(rule, deny).problem, rule).toBeUndefined()
      expect(matches(rule, call('github', 'get_issue'), allow), rule).toBe(false)
      expect(compiled(rule, allow).problem, rule).toBeDefined()
    }
    expect(matches('*', { tool: plainTool('Read'), input: {} }, deny)).toBe(true)
  })

  test('it is about where a tool comes from: a tool of the host with such a name is not allowed', () => {
    const host = { tool: plainTool('mcp__github__get_issue'), input: {} }
    expect(matches('mcp__github__get_issue', host, allow)).toBe(false)
    expect(matches('mcp__github__get_issue', host, deny)).toBe(true)
  })

  test('parentheses are a problem that points at the tool table', () => {
    expect(compiled('mcp__fs__write_file(./a)', deny).problem?.hint).toMatch(/tool table/)
    expect(matches('mcp__fs__write_file(./a)', call('fs', 'write_file'), deny)).toBe(true)
    expect(matches('mcp__fs__write_file(./a)', call('fs', 'write_file'), allow)).toBe(false)
  })
})
