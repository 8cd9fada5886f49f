import type { AgentSession } from '@ext/agent-core/types'
import type { ServerState, ServerStatus } from '@ext/mcp-client/types'
import { expect, it } from 'vitest'
import { tellStatuses } from '../../src/follow/server-status.js'

it('tells hooks once that a server is gone, is there again, or wants somebody to sign in', () => {
  const rows = new Map<string, ServerState>([['s', 'connecting']])
  const listeners = new Set<() => void>()
  const told: unknown[] = []
  const session = {
    fire: async (_event: string, payload: () => unknown) => {
      told.push(payload())
      return { runs: [], context: [], notices: [] }
    },
  } as unknown as AgentSession
  const { end } = tellStatuses(
    {
      status: () => [...rows].map(([name, state]) => ({ name, state, cause: 'exit code 3' }) as ServerStatus),
      onChange(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    () => session,
  )
  const become = (state: ServerState) => {
    rows.set('s', state)
    for (const listener of listeners) listener()
  }
  for (const state of ['failed', 'ready', 'degraded', 'failed', 'failed', 'connecting', 'ready'] as const) become(state)
  become('needs_auth')
  become('closed')
  end()
  become('failed')
  const notification = { notification_type: 'mcp_status', title: 's' }
  expect(told).toEqual([
    { ...notification, message: 'The server `s` is not there any more: exit code 3' },
    { ...notification, message: 'The server `s` is there again.' },
    { ...notification, message: 'The server `s` wants you to sign in: exit code 3' },
  ])
})
