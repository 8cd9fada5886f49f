import type { Io } from '../../io.js'
import { printable } from '../../render/words.js'
import { describeBlock } from './call.js'
import { type ServerOptions, withServers } from './open.js'

export interface ReadOptions extends ServerOptions {
  readonly json?: boolean
}

/** Reads one resource. It is the person who reads, so nobody is asked and no hook hears of it. */
export function read(server: string, uri: string, options: ReadOptions, io: Io): Promise<number> {
  return withServers(options, [server], io, async ({ client }) => {
    const result = await client.resources.read(server, uri, { signal: io.signal })
    if (options.json) io.out(JSON.stringify(result, null, 2))
    else for (const block of result.content) (result.isError ? io.err : io.out)(printable(describeBlock(block)))
    return result.isError ? 1 : 0
  })
}
