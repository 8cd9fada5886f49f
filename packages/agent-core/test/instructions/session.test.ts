import { describe, expect, it } from 'vitest'
import type { InstructionSource, InstructionsFile } from '../../src/types.js'
import { byNow, CWD, collect, hooks, modelOf, never, ofType, play, scripted, settle, setUp } from '../kit.js'

const file = (name: string, more: Partial<InstructionsFile> = {}): InstructionsFile => ({
  path: `/srv/${name}`,
  kind: 'Project',
  reason: 'session_start',
  text: `Text of ${name}.\n`,
  ...more,
})

function source(...files: readonly InstructionsFile[]): InstructionSource & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    async load(cwd) {
      asked.push(cwd)
      return { files, notices: ['one was cut'] }
    },
  }
}

const TEXT = `You help.

Instructions from /srv/AGENTS.md (of the project):

Text of AGENTS.md.

Instructions from /srv/mine.md (the user’s own, for this project):

Text of mine.md.`

describe('instructions', () => {
  it('are in the system prompt from the first turn on, loaded once for a session', async () => {
    const model = scripted({ say: 'a' }, { say: 'b' })
    const instructions = source(file('AGENTS.md'), file('mine.md', { kind: 'Local', reason: 'include' }))
    const interceptor = hooks()
    const { session, events } = await play({ model, system: 'You help.', instructions, interceptor })
    await session.run('again').result
    expect(model.requests.map(({ system }) => system)).toEqual([TEXT, TEXT])
    expect(instructions.asked).toEqual([CWD])
    expect(interceptor.log.filter(({ event }) => event === 'InstructionsLoaded').map(({ payload }) => payload)).toEqual(
      [
        { file_path: '/srv/AGENTS.md', memory_type: 'Project', load_reason: 'session_start' },
        { file_path: '/srv/mine.md', memory_type: 'Local', load_reason: 'include' },
      ],
    )
    expect(ofType(events, 'notice').map(({ text }) => text)).toEqual(['one was cut'])
    expect(ofType(events, 'context')).toMatchObject([
      { by: '/srv/AGENTS.md', place: 'system', text: 'Text of AGENTS.md.\n' },
      { by: '/srv/mine.md', place: 'system' },
    ])
    await session.clear()
    await session.run('anew').result
    expect(instructions.asked).toEqual([CWD, CWD])
  })

  it('hold for sub-agents as well', async () => {
    const child = scripted({ say: 'done' })
    await play({
      model: modelOf(
        [{ type: 'tool_call', id: 'x', name: 'agent', input: { type: 'w', prompt: 'go' } }],
        [{ type: 'text', text: 'ok' }],
      ),
      models: () => child,
      agents: [{ name: 'w', description: 'Works.', prompt: 'Work.', model: 'child' }],
      instructions: source(file('AGENTS.md')),
    })
    expect(child.requests[0]?.system).toBe(
      'Work.\n\nInstructions from /srv/AGENTS.md (of the project):\n\nText of AGENTS.md.',
    )
  })

  it('that can’t be loaded cost only themselves', async () => {
    const load = () => Promise.reject(new Error('the disk is gone'))
    const { result, events } = await play({ model: scripted({ say: 'a' }), instructions: { load } })
    expect(result.reason).toBe('done')
    expect(ofType(events, 'notice').map(({ text }) => text)).toEqual([
      'The instruction files can’t be loaded: the disk is gone',
    ])
  })

  it('that never come do not hold up an abort', async () => {
    const { session } = await setUp({ model: scripted({ say: 'a' }), instructions: { load: never } })
    const controller = new AbortController()
    const run = session.run('go', { signal: controller.signal })
    await settle()
    controller.abort()
    expect(await byNow(run.result)).toMatchObject({ reason: 'aborted' })
  })

  it('can be a reason for a hook to end the run, and no block undoes them', async () => {
    const by = 'me'
    const ended = await play({
      model: scripted({ say: 'a' }),
      instructions: source(file('AGENTS.md')),
      interceptor: hooks({ InstructionsLoaded: () => ({ stop: { by, reason: 'not with these' } }) }),
    })
    expect(ended.result.reason).toBe('stopped')
    const blocked = await setUp({
      model: scripted({ say: 'a' }),
      instructions: source(file('AGENTS.md')),
      interceptor: hooks({ InstructionsLoaded: () => ({ block: { by, reason: 'no' } }) }),
    })
    const run = blocked.session.run('go')
    expect(ofType(await collect(run), 'notice').map(({ text }) => text)).toContain(
      'block ignored, the instructions are loaded already: no',
    )
    expect((await run.result).reason).toBe('done')
  })
})
