// What an event costs when nobody, nobody who fits, or one function listens, beside the least that could say the same, in
// turns within one process, after a build: `node --expose-gc packages/hooks/bench/fire.mjs`. Always exits with 0: a busy
// machine is no failure.
import { createHooks, defineHook } from '@ext/hooks'
import { nodePorts } from '@ext/kernel/node'

const ROUNDS = 15
const ref = { id: 'bench', cwd: '/', origin: 'main', permissionMode: 'default' }
const read = { tool_name: 'Read', tool_input: { file_path: '/a.ts' }, tool_use_id: 'call-1' }
const payload = () => read

async function sessionOf(options) {
  const hooks = await createHooks({ layers: [], root: '/', ports: nodePorts(), ...options })
  if (hooks.diagnostics.length > 0) throw new Error(JSON.stringify(hooks.diagnostics))
  return hooks.session(ref)
}

function rules(count) {
  const hooks = Array.from({ length: count }, (_, index) => ({
    name: `hook-${index}`,
    event: 'PreToolUse',
    matcher: index % 2 ? `Tool${index}` : `^Tool${index}.*$`,
    if: 'Bash(git push *)',
    action: { type: 'command', command: 'exit 2' },
  }))
  return [{ kind: 'value', layer: 'user', dialect: 'ext', name: 'bench', value: { hooks } }]
}

const quiet = () => {}
const none = await sessionOf({})
const hundred = await sessionOf({ layers: rules(100) })
const thousand = await sessionOf({ layers: rules(1000) })
const one = await sessionOf({ functions: [defineHook('PreToolUse', quiet)] })
const deny = await sessionOf({ functions: [defineHook('PreToolUse', (_payload, { reply }) => reply.deny('no'))] })
const later = await sessionOf({ functions: [defineHook('PreToolUse', async () => {})] })
const index = new Map([['Stop', []]])
const memo = new Map([['Read', []]])

/** The least that could be returned for one function that has nothing to say. */
function bareCall() {
  const started = Date.now()
  const common = {
    session_id: ref.id,
    cwd: ref.cwd,
    hook_event_name: 'PreToolUse',
    timestamp: new Date(started).toISOString(),
  }
  const full = Object.assign(common, read)
  quiet(full)
  return Promise.resolve({ runs: [{ hook: 'quiet', outcome: 'noDecision', ms: 0 }], context: [], notices: [] })
}

const cases = [
  {
    name: 'no hook for the event',
    limit: 0.1,
    run: () => none.fire('PreToolUse', payload),
    bare: () => index.get('PreToolUse'),
  },
  {
    name: '100 that do not match',
    limit: 0.3,
    run: () => hundred.fire('PreToolUse', payload),
    bare: () => memo.get('Read'),
  },
  {
    name: '1,000 that do not match',
    limit: 0.3,
    run: () => thousand.fire('PreToolUse', payload),
    bare: () => memo.get('Read'),
  },
  {
    name: 'one function, no opinion',
    limit: 1.2,
    waits: true,
    run: () => one.fire('PreToolUse', payload),
    bare: bareCall,
  },
  { name: 'one function that denies', waits: true, run: () => deny.fire('PreToolUse', payload), bare: bareCall },
  { name: 'one async function', waits: true, run: () => later.fire('PreToolUse', payload), bare: bareCall },
]

async function time(run, waits, calls) {
  const began = performance.now()
  if (waits) for (let call = 0; call < calls; call++) await run()
  else for (let call = 0; call < calls; call++) run()
  return ((performance.now() - began) * 1000) / calls
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const lines = []
for (const { name, limit, waits = false, run, bare } of cases) {
  const calls = waits ? 20_000 : 400_000
  const own = []
  const least = []
  for (let round = -3; round < ROUNDS; round++) {
    const [ownTime, leastTime] = [await time(run, waits, calls), await time(bare, waits, calls)]
    if (round < 0) continue
    own.push(ownTime)
    least.push(leastTime)
  }
  const kept = limit === undefined ? '' : `, limit ${limit} µs${median(own) <= limit ? '' : ' MISSED'}`
  lines.push(`${name.padEnd(26)} ${median(own).toFixed(3)} µs, bare ${median(least).toFixed(3)} µs${kept}`)
}

globalThis.gc?.()
const before = process.memoryUsage().heapUsed
for (let call = 0; call < 100_000; call++) {
  await one.fire('PreToolUse', () => ({ ...read, tool_name: `Tool${call}`, tool_use_id: `call-${call}` }))
}
globalThis.gc?.()
const grown = (process.memoryUsage().heapUsed - before) / 1024
const how = globalThis.gc ? '' : ' (run with --expose-gc to know)'
lines.push(`100,000 fires              leave ${grown.toFixed(0)} KiB behind${how}`)
process.stdout.write(`${lines.join('\n')}\n`)
