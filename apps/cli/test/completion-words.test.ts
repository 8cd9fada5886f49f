import { Command } from 'commander'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addChat } from '../src/commands/agent.js'
import { kindOf } from '../src/commands/completion/kinds.js'
import { readTyped } from '../src/commands/completion/typed.js'
import { addMcp } from '../src/commands/mcp/command.js'
import { addSkills } from '../src/commands/skills/command.js'
import type { Io } from '../src/io.js'

const io: Io = { out() {}, err() {}, signal: new AbortController().signal, interrupt() {} }

function program(): Command {
  const made = new Command('ext').option('--debug', 'traces')
  addChat(made, io, () => {})
  addMcp(made, io, () => {})
  addSkills(made, io, () => {})
  return made
}

describe('a line that is being typed', () => {
  it.each([
    ['mcp test ', { path: 'mcp test', kind: 'server' }],
    ['mcp test a b', { path: 'mcp test', kind: 'server', operands: ['a'] }],
    ['mcp read files ', { path: 'mcp read', kind: undefined, operands: ['files'] }],
    ['mcp test --project ', { path: 'mcp test', kind: 'folder' }],
    ['mcp test --project=x', { path: 'mcp test', kind: 'folder', lead: '--project=' }],
    ['mcp add x -- node --project ', { path: 'mcp add', kind: 'file', operands: ['x', 'node', '--project'] }],
    ['mcp add ', { path: 'mcp add', kind: undefined }],
    ['--debug mcp logs ', { path: 'mcp logs', kind: 'server' }],
    ['skills lint --profile portable a', { path: 'skills lint', kind: 'file' }],
    ['--resume ', { path: 'chat', kind: 'session', of: { long: '--resume' } }],
    ['--debug --project=x', { path: 'chat', kind: 'folder', lead: '--project=' }],
    ['--continue --allow x --model ', { path: 'chat', kind: 'model', operands: [] }],
    ['--continue mcp test ', { path: 'chat', operands: ['mcp', 'test'] }],
    ['--no-such mcp test ', { path: 'mcp test', kind: 'server' }],
    ['nothing --resume ', { path: '', kind: undefined, operands: ['nothing'] }],
    ['-- --resume ', { path: '', kind: undefined, operands: ['--resume'] }],
    ['mcp test --resume ', { path: 'mcp test', kind: 'server' }],
    ['skills lint --pro', { path: 'skills lint', kind: 'file', lead: '' }],
  ])('is read as the parser would: %j', (line, expected) => {
    const typed = readTyped(program(), line.split(' '))
    const isOption = typed.current.startsWith('-') && typed.lead === ''
    expect({ ...typed, kind: kindOf(typed) }).toMatchObject(isOption ? { path: expected.path, lead: '' } : expected)
  })

  it('is never an error, whatever stands in it, and its last word is the one that is typed', () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'mcp',
        'skills',
        'test',
        'add',
        'lint',
        '--',
        '-',
        '--project',
        '--project=',
        '--profile',
        '--continue',
        '--model',
        '--model=',
        '--x=y',
        '',
      ),
    )
    const made = program()
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (words) => {
        const typed = readTyped(made, words)
        kindOf(typed)
        expect(typed.current).toBe(words.at(-1) ?? '')
        expect(typed.current.startsWith(typed.lead)).toBe(true)
        const before = words.slice(0, -1)
        for (const operand of typed.operands) expect(before).toContain(operand)
        expect(made.commands.some((each) => typed.path === '' || typed.path.startsWith(each.name()))).toBe(true)
      }),
      { seed: 14, numRuns: 2000 },
    )
  })
})
