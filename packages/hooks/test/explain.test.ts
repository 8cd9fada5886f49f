import { expect, test } from 'vitest'
import { extSource, load, rule, samples } from './support.js'

test('explain says of every hook of an event whether it would run, and why; nothing runs', async () => {
  const project = { ...extSource(rule('PreToolUse', 'exit 2', { name: 'waits' })), layer: 'project' as const }
  const hooks = await load([
    extSource(
      rule('PreToolUse', 'exit 2', { name: 'all' }),
      rule('PreToolUse', 'exit 3', { name: 'push', matcher: 'Bash|Edit', if: 'Bash(git push *)', once: true }),
      rule('PreToolUse', 'exit 4', { name: 'pull', if: 'Bash(git pull *)' }),
      rule('PreToolUse', 'exit 5', { name: 'read', matcher: 'Read' }),
      rule('PreToolUse', "echo '$HOOK_CWD'", { name: 'broken' }),
      rule('PostToolUse', 'exit 6', { name: 'after' }),
    ),
    { ...extSource(rule('PreToolUse', 'exit 2', { name: 'again' })), layer: 'command-line' },
    project,
  ])
  const explained = hooks.explain('PreToolUse', samples.PreToolUse)
  expect(explained.map(({ name, runs, why }) => [name, runs, why])).toEqual([
    ['all', false, 'another hook is the same, and it runs once'],
    ['push', true, '`Bash|Edit` fits `Bash`, its `if` holds: Bash(git push *), once in a session'],
    ['pull', false, 'its `if` does not hold: Bash(git pull *)'],
    ['read', false, 'its matcher `Read` does not fit `Bash`'],
    ['broken', false, 'it can’t be loaded'],
    ['waits', false, 'nobody has approved it'],
    ['again', true, 'it listens to every PreToolUse'],
  ])
  expect(hooks.stats().hooks.every(({ matched }) => matched === 0)).toBe(true)
})
