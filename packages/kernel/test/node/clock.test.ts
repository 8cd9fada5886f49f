import { expect, test } from 'vitest'
import { nodeClock } from '../../src/node/index.js'

test('a background timer keeps no process alive, and every other one does', () => {
  const active = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = active()
  const cancelBackground = nodeClock().after(60_000, () => {}, { background: true })
  expect(active()).toBe(before)
  const cancel = nodeClock().after(60_000, () => {})
  expect(active()).toBe(before + 1)
  cancelBackground()
  cancel()
})

test('a background timer is called as long as something else goes on', async () => {
  const clock = nodeClock()
  await new Promise<void>((resolve, reject) => {
    const cancel = clock.after(10_000, () => reject(new Error('it was not called')))
    const called = () => {
      cancel()
      resolve()
    }
    clock.after(1, called, { background: true })
  })
})
