import { createInterface } from 'node:readline'
import { handle, type Incoming, type Mouth } from './behaviour.js'
import { modeOf } from './modes.js'

/**
 * Is a hostile server over this process's pipes, until its input ends. What the commands of `hostileServer` run.
 * @throws Error for a mode that does not exist
 */
export async function runHostileServer(mode: string, ...args: readonly string[]): Promise<void> {
  const behaviour = modeOf(mode)(...args)
  await behaviour.start?.(mouth)
  createInterface({ input: process.stdin }).on('line', (line) =>
    handle(mode, behaviour, JSON.parse(line) as Incoming, mouth),
  )
}

const mouth: Mouth = {
  send: (message) => mouth.raw(JSON.stringify({ jsonrpc: '2.0', ...message })),
  raw: (text) => void process.stdout.write(`${text}\n`),
  drip(text) {
    const bytes = Buffer.from(`${text}\n`)
    let at = 0
    const next = () => {
      if (at < bytes.length) process.stdout.write(bytes.subarray(at, ++at), () => setImmediate(next))
    }
    next()
  },
  log: (line) => void process.stderr.write(`${line}\n`),
  exit: (code) => process.exit(code),
}
