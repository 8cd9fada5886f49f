import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shellWords } from '../../src/trust/words.js'
import { shown, untrusted, value } from './support.js'

const host = {
  model: {
    async *stream() {
      yield { type: 'text', text: '{"ok": true}' }
    },
  },
  runner: { run: async () => ({ done: true, text: '{"ok": true}' }) },
}

async function linesOf(action: unknown, more = {}): Promise<readonly string[]> {
  const hooks = [{ name: 'hook', event: 'PreToolUse', action, ...more }]
  const at = await untrusted({ 'check.sh': 'true' }, () => [value('project', { hooks })], { host: host as never })
  return (shown(at)[0] ?? []).slice(3).map((line) => line.replaceAll(at.root, '<project>'))
}

test('a command is shown with its script, folder, variables, event and condition', async () => {
  const action = { type: 'command', command: './check.sh "$1"', cwd: '.', env: { LEVEL: '2' }, passEnv: ['TOKEN'] }
  const lines = await linesOf(action, { matcher: 'Bash', if: 'Bash(git push *)' })
  expect(lines).toEqual([
    'runs in sh: ./check.sh "$1"',
    'working folder: .',
    expect.stringMatching(/^script \.\/check\.sh: sha256 [0-9a-f]{64}$/),
    'sets LEVEL: 2',
    'passes: TOKEN',
    'with event: PreToolUse',
    'with if: "Bash(git push *)"',
    'with matcher: Bash',
  ])
})

test('a program is shown with its arguments', async () => {
  const lines = await linesOf({ type: 'command', command: '${HOOK_PROJECT_DIR}/check.sh', args: ['two words'] })
  expect(lines.slice(0, 2)).toEqual([
    expect.stringContaining('check.sh" "two words"'),
    expect.stringMatching(/^script \.\/check\.sh: sha256 /),
  ])
})

test('an address is shown with its host, its headers and the fields that leave', async () => {
  const headers = { Authorization: 'Bearer $TOKEN' }
  const sent = { type: 'http', url: 'https://hooks.example.com/x', headers, allowedEnvVars: ['TOKEN', 'OTHER'] }
  expect(await linesOf({ ...sent, fields: ['tool_name'] })).toEqual([
    'url: https://hooks.example.com/x',
    'host: hooks.example.com',
    'header Authorization: Bearer $TOKEN',
    'passes: TOKEN',
    'sends: tool_name',
    'with event: PreToolUse',
    'with method: POST',
    'with secrets: masked',
  ])
  expect(await linesOf({ ...sent, raw: true })).toEqual(
    expect.arrayContaining(['sends: (everything)', 'with secrets: "sent as they are"']),
  )
  const body = { ...sent, body: '{"tool": "${tool_name}"}' }
  expect((await linesOf(body)).filter((line) => /^(sends|with body)/.test(line))).toHaveLength(2)
})

test('a prompt and a sub-agent are shown with their text, and who is asked with what', async () => {
  expect(await linesOf({ type: 'prompt', prompt: 'Is this safe?' })).toEqual([
    'prompt: Is this safe?',
    'sends: (everything)',
    'with asks: "the usual model"',
    'with event: PreToolUse',
  ])
  expect(await linesOf({ type: 'prompt', text: 'Be brief.' })).toContain('prompt: Be brief.')
  expect(await linesOf({ type: 'agent', prompt: 'Look.', tools: ['Read', 'Bash'] })).toContain('tools: Bash Read')
  expect(await linesOf({ type: 'agent', prompt: 'Look.' })).toContain('with allows: "tools that only read"')
})

test('every change of what is shown asks again, and nothing else does', async () => {
  const base = { type: 'command', command: 'true' }
  const all = [
    base,
    { ...base, command: 'true ' },
    { ...base, shell: 'bash' },
    { ...base, cwd: '/' },
    { ...base, env: { A: '1' } },
    { ...base, env: { A: '2' } },
    { ...base, passEnv: ['A'] },
    { type: 'command', command: 'true', args: [] },
  ]
  const seen = await Promise.all(all.map(async (action) => (await linesOf(action)).join('\n')))
  expect(new Set(seen).size).toBe(all.length)
  const { trust, hooks } = await untrusted({}, () => [
    value('project', { hooks: [{ event: 'Stop', action: base, timeout: '3s' }] }),
  ])
  const [first] = trust.pending(hooks.unapproved())
  await hooks.replace([value('project', { hooks: [{ event: 'Stop', action: base, timeout: '9s' }] })])
  expect(trust.pending(hooks.unapproved())[0]?.hash).toBe(first?.hash)
})

test('any text is read to its end', () => {
  const piece = fc.constantFrom(
    '$(',
    ')',
    '"',
    "'",
    '`',
    '\\',
    '$',
    '${',
    '}',
    ' ',
    'cd',
    'a/b',
    '>',
    '<',
    '=',
    '\0',
    '~/',
  )
  const script = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 60 }).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(script, (text) => {
      for (const word of shellWords(text, { HOME: '/h', a: '$a' })) expect(word).not.toBe('')
    }),
    { numRuns: 2000 },
  )
})

test('a long script is read in a moment', () => {
  const started = performance.now()
  const doubled = `A=aaaa;${'A=$A$A;'.repeat(4000)}`
  expect(shellWords(doubled, {}).every((word) => word.length < 10_000)).toBe(true)
  for (const part of ['"$(', '$(cd a;', "b$A'", "'a b'", '`a', '\\$(a) ', 'A=$A$A ', 'cd a;b '])
    shellWords(part.repeat(5000), {})
  expect(performance.now() - started).toBeLessThan(5000)
})
