import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRule } from '../../src/rule/index.js'

describe('a rule is a tool, or a tool with a specifier', () => {
  test.each([
    ['Bash', { tool: 'Bash' }],
    ['  Read  ', { tool: 'Read' }],
    ['Bash(git push *)', { tool: 'Bash', specifier: 'git push *' }],
    ['Bash(npm run test:*)', { tool: 'Bash', specifier: 'npm run test:*' }],
    ['Bash(echo (a))', { tool: 'Bash', specifier: 'echo (a)' }],
    ['Edit(/src/**)', { tool: 'Edit', specifier: '/src/**' }],
    ['mcp__fs__read_file', { tool: 'mcp__fs__read_file' }],
    ['mcp__*', { tool: 'mcp__*' }],
  ])('%s', (text, expected) => {
    expect(parseRule(text)).toEqual({ rule: { text: text.trim(), ...expected } })
  })

  test.each([
    ['', 'the rule is empty'],
    ['Bash(git push', 'the closing parenthesis is missing'],
    ['Bash()', 'the parentheses are empty'],
    ['(git push)', 'no tool name stands before the parenthesis'],
    ['Bash (git push)', '`Bash ` is not a tool name'],
    ['git push', '`git push` is not a tool name'],
    ['Bash(a), Read(b)', 'two rules stand in one text'],
    ['Bash(a) and more', 'the closing parenthesis is missing'],
  ])('%j is none, and the problem says why', (text, problem) => {
    const parsed = parseRule(text)
    expect(parsed).toMatchObject({ problem })
    expect(parsed).toHaveProperty('hint', expect.stringMatching(/\.$/))
  })

  test('whatever the text, there is a rule or a problem', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { rule, problem } = parseRule(text)
        expect((rule === undefined) !== (problem === undefined)).toBe(true)
      }),
    )
  })
})
