import { expect, test } from 'vitest'
import type { Carrier, Message } from '../../src/connect/carrier.js'
import { Incoming } from '../../src/connect/incoming.js'

/** What is sent to a server that takes nothing before `read` is called. */
function slowServer() {
  const sent: Message[] = []
  const waiting: (() => void)[] = []
  const carrier: Pick<Carrier, 'send'> = {
    send(message) {
      sent.push(message)
      return new Promise((resolve) => void waiting.push(resolve))
    },
  }
  const requests = { asked: () => () => {}, sessionOf: () => undefined }
  const incoming = new Incoming(carrier as Carrier, undefined, requests)
  return {
    sent,
    ask: (id: number, params: unknown) => incoming.asked({ id, method: 'roots/list', params }, undefined),
    ping: (id: string) => incoming.asked({ id, method: 'ping', params: {} }, undefined),
    async read() {
      for (const resolve of waiting.splice(0)) resolve()
      await new Promise((resolve) => setTimeout(resolve))
    },
  }
}

test('a thousand questions that are read at once have their answers, however late those are written', async () => {
  const server = slowServer()
  for (let id = 0; id < 1000; id++) server.ask(id, {})
  await server.read()
  expect(new Set(server.sent.map(({ id }) => id)).size).toBe(1000)
})

test('a server that never reads gets only so many answers, and more of them once it does', async () => {
  const server = slowServer()
  // An answer holds the id, so it can be of any length.
  const long = (index: number) => `${index} ${'x'.repeat(100 * 1024)}`
  for (let index = 0; index < 10; index++) server.ping(long(index))
  expect(server.sent).toHaveLength(6)
  await server.read()
  server.ping('again')
  expect(server.sent.at(-1)?.id).toBe('again')
})
