import { describe, expect, test } from 'vitest'
import { extSource, fire, project, rule, runRule, scene, texts } from '../support.js'

/** A script that prints this object. */
const print = (reply: unknown) => `cat > /dev/null; printf '%s' '${JSON.stringify(reply)}'`
const specific = (event: string, fields: Readonly<Record<string, unknown>>) => ({
  hookSpecificOutput: { hookEventName: event, ...fields },
})

describe('exit 0', () => {
  test('without output is no decision', async () => {
    const result = await runRule('PreToolUse', 'exit 0')
    expect(result).toMatchObject({ runs: [{ hook: 'guard', outcome: 'noDecision' }], context: [], notices: [] })
    expect(result.block).toBeUndefined()
  })

  test('with plain text tells the model at a prompt and at the start of a session', async () => {
    for (const event of ['UserPromptSubmit', 'SessionStart'] as const) {
      const result = await runRule(event, 'echo today is Monday')
      expect(result).toMatchObject({ context: [{ by: 'guard', text: 'today is Monday' }], notices: [] })
    }
  })

  test('with plain text tells the user at other events', async () => {
    for (const event of ['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'Stop'] as const) {
      const result = await runRule(event, 'echo looked at it')
      expect(result).toMatchObject({ context: [], notices: [{ by: 'guard', text: 'looked at it' }] })
    }
  })

  test('with plain text goes where `stdout` sends it', async () => {
    expect(texts((await runRule('PreToolUse', 'echo note', { stdout: 'context' })).context)).toEqual(['note'])
    expect(texts((await runRule('SessionStart', 'echo note', { stdout: 'user' })).notices)).toEqual(['note'])
    expect(await runRule('SessionStart', 'echo note', { stdout: 'ignore' })).toMatchObject({
      runs: [{ outcome: 'noDecision' }],
      context: [],
      notices: [],
    })
  })

  test('with an array or a number is plain text', async () => {
    expect(texts((await runRule('UserPromptSubmit', 'echo "[1, 2]"')).context)).toEqual(['[1, 2]'])
  })

  test('cuts context that would crowd out the conversation, and says so', async () => {
    const result = await runRule('UserPromptSubmit', `head -c 30000 /dev/zero | tr '\\0' x`)
    expect(result.context[0]?.text).toHaveLength(10_001)
    expect(texts(result.notices)).toEqual(['its context was cut from 30000 to 10000 characters'])
  })
})

describe('a decision before a tool', () => {
  test('deny blocks with its reason', async () => {
    const reply = specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'not on Friday' })
    const result = await runRule('PreToolUse', print(reply))
    expect(result.block).toEqual({ by: 'guard', reason: 'not on Friday' })
    expect(result.runs).toMatchObject([{ outcome: 'decided', reason: 'not on Friday' }])
  })

  test.each(['ask', 'allow'])('%s is an opinion', async (permissionDecision) => {
    const reply = specific('PreToolUse', { permissionDecision, permissionDecisionReason: 'because' })
    const result = await runRule('PreToolUse', print(reply))
    expect(result.opinion).toEqual({ behavior: permissionDecision, by: 'guard', reason: 'because' })
    expect(result.block).toBeUndefined()
  })

  test('the older words approve and block mean allow and deny', async () => {
    const approved = await runRule('PreToolUse', print({ decision: 'approve', reason: 'fine' }))
    expect(approved.opinion).toEqual({ behavior: 'allow', by: 'guard', reason: 'fine' })
    const blocked = await runRule('PreToolUse', print({ decision: 'block', reason: 'no' }))
    expect(blocked.block).toEqual({ by: 'guard', reason: 'no' })
  })

  test('defer is not supported, so the call has to be asked for', async () => {
    const result = await runRule('PreToolUse', print(specific('PreToolUse', { permissionDecision: 'defer' })))
    expect(result.opinion?.behavior).toBe('ask')
    expect(texts(result.notices)).toEqual([expect.stringContaining('`defer`, which is not supported')])
  })

  test('a rewrite replaces the input', async () => {
    const result = await runRule('PreToolUse', print(specific('PreToolUse', { updatedInput: { command: 'ls' } })))
    expect(result.updatedInput).toEqual({ by: 'guard', input: { command: 'ls' } })
  })

  test('a rewrite to the same input is none', async () => {
    const same = specific('PreToolUse', { updatedInput: { command: 'git push origin main' } })
    expect((await runRule('PreToolUse', print(same))).updatedInput).toBeUndefined()
  })
})

describe('a block signal follows the tier of the event', () => {
  test.each(['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'Stop'] as const)(
    'counts at %s, by exit code and by JSON',
    async (event) => {
      expect((await runRule(event, 'echo not like this >&2; exit 2')).block?.reason).toBe('not like this')
      expect((await runRule(event, print({ decision: 'block', reason: 'not like this' }))).block?.reason).toBe(
        'not like this',
      )
    },
  )

  test('is shown and ignored at SessionStart', async () => {
    const result = await runRule('SessionStart', 'echo never start >&2; exit 2')
    expect(result.block).toBeUndefined()
    expect(texts(result.notices)).toEqual(['block ignored: never start'])
  })
})

describe('exit 2', () => {
  test('takes its reason from JSON, else stderr, else stdout, else a fixed text', async () => {
    const reason = async (script: string) => (await runRule('PreToolUse', script)).block?.reason
    expect(await reason(`echo '{"decision":"block","reason":"json"}'; echo stderr >&2; exit 2`)).toBe('json')
    expect(await reason('echo stdout; echo stderr >&2; exit 2')).toBe('stderr')
    expect(await reason('echo stdout; exit 2')).toBe('stdout')
    expect(await reason('exit 2')).toBe('It gave no reason.')
  })

  // anthropics/claude-code 2.1.90 and 2.1.214: exit 2 with JSON did not block.
  test('blocks whatever the JSON says, and names the contradiction', async () => {
    const reply = specific('PreToolUse', { permissionDecision: 'allow' })
    const result = await runRule('PreToolUse', `${print(reply)}; echo no >&2; exit 2`)
    expect(result.block?.reason).toBe('no')
    expect(result.opinion).toBeUndefined()
    expect(texts(result.notices)).toEqual(['contradiction: it says allow and exits with 2, which blocks'])
  })

  test('blocks with JSON that is broken', async () => {
    const result = await runRule('PreToolUse', `echo '{"decision":'; exit 2`)
    expect(result.block?.reason).toBe('It gave no reason.')
    expect(texts(result.notices)).toEqual(['ignored: its output (bad JSON)'])
  })

  test('reads the reason of a reply that stands on stderr', async () => {
    const result = await runRule('PreToolUse', `echo '{"decision":"block","reason":"no"}' >&2; exit 2`)
    expect(result.block?.reason).toBe('no')
    expect(texts(result.notices)).toEqual(['its reply stands on stderr; replies are read from stdout only'])
  })
})

describe('another exit code', () => {
  test('is a failure that blocks nothing and is seen', async () => {
    const result = await runRule('PreToolUse', 'echo no jq here >&2; exit 1')
    expect(result.block).toBeUndefined()
    expect(result.runs).toMatchObject([{ outcome: 'failed', cause: 'exit 1' }])
    expect(texts(result.notices)).toEqual(['failed (exit 1): no jq here'])
  })

  test('keeps a deny and an ask', async () => {
    const deny = await runRule('PreToolUse', `${print({ decision: 'block', reason: 'no' })}; exit 1`)
    expect(deny).toMatchObject({ block: { reason: 'no' }, runs: [{ outcome: 'decided', cause: 'exit 1' }] })
    const ask = specific('PreToolUse', { permissionDecision: 'ask' })
    expect((await runRule('PreToolUse', `${print(ask)}; exit 1`)).opinion?.behavior).toBe('ask')
  })

  test('drops an allow and a rewrite, and says so', async () => {
    const reply = specific('PreToolUse', { permissionDecision: 'allow', updatedInput: { command: 'ls' } })
    const result = await runRule('PreToolUse', `${print(reply)}; exit 1`)
    expect(result.opinion).toBeUndefined()
    expect(result.updatedInput).toBeUndefined()
    expect(result.runs).toMatchObject([{ outcome: 'failed', cause: 'exit 1' }])
    expect(texts(result.notices)).toEqual([
      'failed (exit 1)',
      'ignored: allow (exit 1)',
      'ignored: updatedInput (exit 1)',
    ])
  })

  test('keeps context', async () => {
    const reply = specific('PostToolUse', { additionalContext: 'three warnings' })
    const result = await runRule('PostToolUse', `${print(reply)}; exit 1`)
    expect(texts(result.context)).toEqual(['three warnings'])
  })
})

describe('output that is no reply is named', () => {
  test.each([
    // thedotmack/claude-mem#3910: a program prints its JSON, and the shell line adds another.
    [`echo '{"continue":true}'; echo '{"continue":true}'`, '2 JSON documents'],
    // affaan-m/ECC#2239, baekenough/oh-my-customcode#1632: the script ends with `cat`.
    ['cat', 'echo of its input'],
    [`echo '{"decision":"block"'`, 'bad JSON'],
    [`echo '{"decision":"block"}'; echo done`, 'text after the JSON document'],
    [`echo ready; echo '{"decision":"block"}'; echo done`, 'text after the JSON document'],
    [`echo '{"decision":"block"}' >&2`, 'JSON on stderr'],
  ])('%s', async (script, cause) => {
    const result = await runRule('PreToolUse', script)
    expect(result.runs).toMatchObject([{ outcome: 'failed', cause }])
    expect(result.block).toBeUndefined()
    expect(texts(result.notices)).toEqual([expect.stringContaining(`failed (${cause})`)])
  })

  // anthropics/claude-code#21992, fujibee/agmsg#1015: a profile greets before the script answers.
  test('text before the reply is skipped, and said', async () => {
    const result = await runRule('PreToolUse', `echo 'ready {now}'; echo '{"decision":"block","reason":"no"}'`)
    expect(result.block?.reason).toBe('no')
    expect(texts(result.notices)).toEqual(['text before its JSON was skipped: ready {now}'])
  })

  test('a log line in JSON on stderr is no reply', async () => {
    const result = await runRule('PreToolUse', `echo '{"level":"info","reason":"started"}' >&2`)
    expect(result).toMatchObject({ runs: [{ outcome: 'noDecision' }], notices: [] })
  })

  test('text that shows an object which is no reply stays text', async () => {
    const result = await runRule('UserPromptSubmit', `echo 'The settings are:'; echo '{"port": 80}'`)
    expect(texts(result.context)).toEqual(['The settings are:\n{"port": 80}'])
  })
})

describe('a field', () => {
  // anthropics/claude-code#4669: deny at the top level is not seen.
  test('in the wrong place makes the guard fail, and the right place is named', async () => {
    const result = await runRule('PreToolUse', print({ permissionDecision: 'deny' }))
    expect(result.runs).toMatchObject([{ outcome: 'failed', cause: 'permissionDecision in the wrong place' }])
    expect(texts(result.notices)[0]).toContain(
      '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": …}}',
    )
    const guarded = await runRule('PreToolUse', print({ permissionDecision: 'deny' }), { onFailure: 'block' })
    expect(guarded.block?.reason).toContain('permissionDecision in the wrong place')
  })

  test.each([
    [{ systemMessage: 5 }, 'wrong type of systemMessage'],
    [{ continue: 'no' }, 'wrong type of continue'],
    [{ decision: 'maybe' }, 'unknown decision'],
    [{ hookSpecificOutput: [] }, 'wrong type of hookSpecificOutput'],
    [specific('PreToolUse', { permissionDecision: 'nope' }), 'unknown permissionDecision'],
    [specific('PreToolUse', { updatedInput: 'ls' }), 'wrong type of updatedInput'],
    [specific('PostToolUse', { permissionDecision: 'deny' }), 'hookSpecificOutput for PostToolUse'],
  ])('of the wrong type makes the hook fail: %j', async (reply, cause) => {
    const result = await runRule('PreToolUse', print(reply))
    expect(result.runs).toMatchObject([{ outcome: 'failed', cause }])
    expect(result.block).toBeUndefined()
  })

  test('of the wrong type does not take a block with it', async () => {
    const result = await runRule('PreToolUse', print({ decision: 'block', reason: 'no', systemMessage: 5 }))
    expect(result.block?.reason).toBe('no')
    expect(result.runs).toMatchObject([{ outcome: 'decided', cause: 'wrong type of systemMessage' }])
  })

  test('that is null is absent', async () => {
    const result = await runRule('PreToolUse', print({ decision: null, reason: null, hookSpecificOutput: null }))
    expect(result).toMatchObject({ runs: [{ outcome: 'noDecision' }], notices: [] })
  })

  test('that nobody knows, or that the event does not honour, is reported as ignored', async () => {
    // ChrisWiles/claude-code-showcase prints {"feedback": …}.
    expect(texts((await runRule('PostToolUse', print({ feedback: 'looks good' }))).notices)).toEqual([
      'ignored: `feedback`, which is no field of a reply',
    ])
    const rewrite = specific('Stop', { updatedInput: { command: 'ls' } })
    expect(texts((await runRule('Stop', print(rewrite))).notices)).toEqual([
      'ignored: `updatedInput`, which Stop does not honour',
    ])
    expect(texts((await runRule('PreToolUse', print({ reason: 'just so' }))).notices)).toEqual([
      'ignored: `reason`, since there is no decision that it could explain',
    ])
  })

  test('continue: false ends the run with its reason', async () => {
    const result = await runRule('PostToolUseFailure', print({ continue: false, stopReason: 'enough' }))
    expect(result.stop).toEqual({ by: 'guard', reason: 'enough' })
  })

  test('systemMessage goes to the user, additionalContext to the model', async () => {
    const result = await runRule(
      'PostToolUse',
      print({ systemMessage: 'formatted', ...specific('PostToolUse', { additionalContext: 'two lines changed' }) }),
    )
    expect(result).toMatchObject({
      notices: [{ by: 'guard', text: 'formatted' }],
      context: [{ by: 'guard', text: 'two lines changed' }],
      runs: [{ outcome: 'decided' }],
    })
  })
})

// anthropics/claude-code#43906: a silent Stop hook makes the agent go round in circles.
test('a Stop hook that says nothing lets the agent stop', async () => {
  const result = await runRule('Stop', 'exit 0')
  expect(result.block).toBeUndefined()
  expect(result.context).toEqual([])
})

// anthropics/claude-code#20334: an error was shown for a tool that the hook did not listen to.
test('a report names the hook that ran and its place', async () => {
  const root = await project({
    'config.yaml':
      'hooks:\n  - {event: PreToolUse, matcher: Bash, action: {type: command, command: ./scripts/guard.sh}}\n',
  })
  const file = `${root}/config.yaml`
  const at = await scene(
    [{ kind: 'file', layer: 'user', dialect: 'ext', path: file }, extSource(rule('PreToolUse', 'exit 0'))],
    { root },
  )
  const result = await fire(at, 'PreToolUse')
  expect(result.runs).toMatchObject([
    { hook: 'guard.sh', outcome: 'failed', cause: 'exit 127', source: { file, line: 2, column: 5 } },
    { hook: 'exit', outcome: 'noDecision', source: { name: 'test' } },
  ])
})

describe('a decision in the wrong word or place is a failure that names the right one', () => {
  test.each([
    ['PreToolUse', specific('PreToolUse', { decision: 'block', reason: 'no' }), 'decision in the wrong place'],
    ['PreToolUse', { hookSpecificOutput: { continue: false } }, 'continue in the wrong place'],
    ['PreToolUse', { permission: 'deny' }, '`permission` instead of permissionDecision'],
    ['PreToolUse', { Decision: 'block' }, '`Decision` instead of decision'],
    [
      'PreToolUse',
      { hookSpecificOutput: { permissiondecision: 'deny' } },
      '`permissiondecision` instead of permissionDecision',
    ],
    [
      'PreToolUse',
      { hookSpecificOutput: { permission_decision: 'deny' } },
      '`permission_decision` instead of permissionDecision',
    ],
    [
      'PermissionRequest',
      specific('PermissionRequest', { permissionDecision: 'deny' }),
      'permissionDecision in the wrong place',
    ],
    ['UserPromptSubmit', specific('UserPromptSubmit', { decision: 'block' }), 'decision in the wrong place'],
  ] as const)('at %s: %j', async (event, reply, cause) => {
    const result = await runRule(event, print(reply), { onFailure: 'block' })
    expect(result.runs).toMatchObject([{ outcome: 'failed', cause }])
    expect((result.block ?? result.answer)?.reason).toContain('it is set to block when it fails')
    expect(texts(result.notices).join()).toContain('write {')
  })

  test('but a reply that goes on anyway, or says nothing, is none', async () => {
    for (const fields of [{ continue: true }, { decision: null }]) {
      const result = await runRule('PreToolUse', print(specific('PreToolUse', fields)), { onFailure: 'block' })
      expect(result.block).toBeUndefined()
    }
  })
})

describe('a text that nobody would read to its end is cut, which is said', () => {
  const long = 'x'.repeat(12_000)
  const cut = `${'x'.repeat(10_000)}…`

  test('as the reason of a block', async () => {
    for (const command of [print({ decision: 'block', reason: long }), `echo ${long} >&2; exit 2`]) {
      const result = await runRule('PreToolUse', command)
      expect(result.block?.reason).toBe(cut)
      expect(texts(result.notices)).toEqual(['its reason was cut from 12000 to 10000 characters'])
    }
  })

  test('as the reason to stop, as a message and as plain text', async () => {
    const stop = await runRule('PreToolUse', print({ continue: false, stopReason: long, systemMessage: long }))
    expect([stop.stop?.reason, texts(stop.notices)[1]]).toEqual([cut, cut])
    expect(texts(stop.notices)).toHaveLength(3)
    const plain = await runRule('PreToolUse', `echo ${long}`)
    expect(texts(plain.notices)).toEqual([cut, 'its text was cut from 12000 to 10000 characters'])
  })
})

test('a hook that asks and fails blocks when it is to block by failing', async () => {
  const asking = `${print(specific('PreToolUse', { permissionDecision: 'ask' }))}; exit 1`
  expect((await runRule('PreToolUse', asking, { onFailure: 'block' })).block?.reason).toContain('exit 1')
  const result = await runRule('PreToolUse', asking)
  expect([result.block, result.opinion?.behavior]).toEqual([undefined, 'ask'])
})

describe('a reason without what it could explain', () => {
  test.each([
    ['stopReason', { stopReason: 'enough' }],
    ['stopReason', { continue: true, stopReason: 'enough' }],
    ['permissionDecisionReason', specific('PreToolUse', { permissionDecisionReason: 'no' })],
  ])('%s is ignored, which is said: %j', async (field, reply) => {
    const result = await runRule('PreToolUse', print(reply))
    expect(result.runs).toMatchObject([{ outcome: 'noDecision' }])
    expect(result.stop).toBeUndefined()
    expect(texts(result.notices)).toEqual([expect.stringContaining(`ignored: \`${field}\`, since there is no`)])
  })
})

test('suppressOutput hides what is printed before the reply', async () => {
  const reply = (suppressOutput: boolean) => `echo hello; echo '${JSON.stringify({ suppressOutput, continue: true })}'`
  expect(texts((await runRule('PreToolUse', reply(true))).notices)).toEqual([])
  expect(texts((await runRule('PreToolUse', reply(false))).notices)).toEqual([
    'text before its JSON was skipped: hello',
  ])
})
