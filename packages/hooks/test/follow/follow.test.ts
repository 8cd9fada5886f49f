import type { FileDifference, Tracked } from '@ext/kernel'
import type { EventResult } from '@ext/kernel/contract'
import { describe, expect, test } from 'vitest'
import { followConfig, followFiles } from '../../src/follow/index.js'

/** Files as texts, tracked by them. */
function disk(files: Record<string, string>) {
  const taken = new Map(Object.entries(files))
  const tracked: Tracked = {
    changes: async () =>
      Object.entries(files).flatMap(([path, version]): FileDifference[] =>
        taken.get(path) === version ? [] : [{ path, change: taken.has(path) ? 'change' : 'add', version }],
      ),
    take: ({ path, version }) => void taken.set(path, version),
  }
  return { files, tracked, taken: (path: string) => taken.get(path) }
}

type Answer = Partial<EventResult> | undefined

function following(files: Record<string, string>, answer: (path: string, files: Record<string, string>) => Answer) {
  const at = disk(files)
  const told: string[] = []
  const follower = followConfig({
    tracked: [at.tracked],
    sourceOf: (path) => (path.startsWith('/etc') ? 'policy_settings' : 'project_settings'),
    fire(event, payload) {
      const { source, file_path } = payload()
      told.push(`${event} ${source} ${file_path}`)
      const result = answer(file_path, files)
      return result && Promise.resolve({ runs: [], context: [], notices: [], ...result })
    },
  })
  return { ...at, follower, told }
}

const no = { block: { by: 'guard', reason: 'frozen' } }
const ran = { runs: [{ hook: 'guard', outcome: 'noDecision', ms: 1 }] } as const

describe('a follower of configuration', () => {
  test('takes over what has changed once hooks have heard of it, and says what', async () => {
    const { files, follower, told, taken } = following({ '/p/a': '1', '/p/b': '1' }, () => undefined)
    expect(await follower.look()).toBeUndefined()
    files['/p/a'] = '2'
    files['/p/new'] = '1'
    const look = await follower.look()
    expect(look?.taken.map(({ path, change }) => [path, change])).toEqual([
      ['/p/a', 'change'],
      ['/p/new', 'add'],
    ])
    expect(told).toEqual(['ConfigChange project_settings /p/a', 'ConfigChange project_settings /p/new'])
    expect([taken('/p/a'), await follower.look()]).toEqual(['2', undefined])
  })

  test('leaves what a hook refuses as it was, asks about it once, and again when it changes again', async () => {
    const { files, follower, told, taken } = following({ '/p/a': '1', '/p/b': '1' }, (path) =>
      path === '/p/a' ? no : undefined,
    )
    Object.assign(files, { '/p/a': '2', '/p/b': '2' })
    const look = await follower.look()
    expect(look?.refused).toMatchObject([{ path: '/p/a', by: 'guard', reason: 'frozen' }])
    expect(look?.taken.map(({ path }) => path)).toEqual(['/p/b'])
    expect([taken('/p/a'), await follower.look(), told.length]).toEqual(['1', undefined, 2])
    files['/p/a'] = '3'
    expect((await follower.look())?.refused).toHaveLength(1)
    files['/p/a'] = '1'
    expect(await follower.look()).toBeUndefined()
  })

  test('takes over what the administrator has written whatever hooks say', async () => {
    const { files, follower, taken } = following({ '/etc/c': '1' }, () => no)
    files['/etc/c'] = '2'
    expect(await follower.look()).toMatchObject({ refused: [], ignored: [{ by: 'guard', path: '/etc/c' }] })
    expect(taken('/etc/c')).toBe('2')
  })

  test('counts the end of the run as a no', async () => {
    const { files, follower, taken } = following({ '/p/a': '1' }, () => ({ stop: { by: 'guard', reason: 'stop' } }))
    files['/p/a'] = '2'
    expect((await follower.look())?.refused).toMatchObject([{ reason: 'stop' }])
    expect(taken('/p/a')).toBe('1')
  })

  test('does not go on for ever with a hook that changes configuration itself, and says so', async () => {
    let writes = 0
    const { files, follower, told, taken } = following({ '/p/a': '0' }, (path, all) => {
      all[path] = `by the hook ${++writes}`
      return ran
    })
    files['/p/a'] = 'by somebody'
    const looks = []
    for (let n = 0; n < 10; n++) looks.push(await follower.look())
    expect(told).toHaveLength(4)
    expect(looks.flatMap((look) => look?.restless ?? []).map(({ path }) => path)).toEqual(['/p/a'])
    // What nobody was asked about is not taken over.
    expect([files['/p/a'], taken('/p/a')]).toEqual(['by the hook 4', 'by the hook 3'])
    files['/p/a'] = 'by somebody else'
    expect((await follower.look())?.taken).toHaveLength(1)
  })

  test('asks about what changes while its hooks run, so that nobody slips in behind them', async () => {
    let first = true
    const { files, follower, taken } = following({ '/p/a': '0' }, (path, all) => {
      if (!first) return no
      first = false
      all[path] = 'behind their back'
      return ran
    })
    files['/p/a'] = '1'
    await follower.look()
    expect(taken('/p/a')).toBe('1')
    expect((await follower.look())?.refused).toHaveLength(1)
    expect(taken('/p/a')).toBe('1')
  })

  test('looks one after the other, and stops with its signal before it takes anything over', async () => {
    const controller = new AbortController()
    const { files, follower, taken } = following({ '/p/a': '1' }, () => {
      controller.abort(new Error('enough'))
      return ran
    })
    files['/p/a'] = '2'
    const [aborted, next] = await Promise.allSettled([follower.look(controller), follower.look()])
    expect(aborted).toMatchObject({ status: 'rejected', reason: { message: 'enough' } })
    expect(next).toMatchObject({ status: 'fulfilled', value: { taken: [{ path: '/p/a' }] } })
    expect(taken('/p/a')).toBe('2')
  })
})

describe('a follower of files', () => {
  test('tells each change once, and nothing of what its own hooks change', async () => {
    const { files, tracked } = disk({ '/p/.env': '1' })
    const told: unknown[] = []
    const follower = followFiles({
      tracked,
      fire(_, payload) {
        told.push(payload())
        files['/p/.env'] = 'formatted'
        return Promise.resolve({ context: [], notices: [], ...ran })
      },
    })
    expect(await follower.look()).toEqual([])
    files['/p/.env'] = '2'
    files['/p/.envrc'] = '1'
    expect(await follower.look()).toHaveLength(2)
    expect(told).toEqual([
      { file_path: '/p/.env', change: 'change', event: 'change' },
      { file_path: '/p/.envrc', change: 'add', event: 'add' },
    ])
    expect(await follower.look()).toEqual([])
  })
})
