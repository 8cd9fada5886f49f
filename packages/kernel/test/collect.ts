import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Frees whatever nobody holds. What a weak reference has led to is held for a turn or two. */
export async function collect(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  for (let turn = 0; turn < 3; turn++) {
    await setTimeout(5)
    gc()
  }
}
