import { Fault } from './session.js'

const MIB = 1024 * 1024

/** An answer was dropped because of its size. */
export function tooLarge(maxBytes: number): Fault {
  const limit = maxBytes >= MIB ? `${Math.floor(maxBytes / MIB)} MiB` : `${maxBytes} bytes`
  return new Fault('protocol', `gave an answer of more than ${limit}, which was dropped`, {
    hint: 'Ask for less at a time.',
  })
}
