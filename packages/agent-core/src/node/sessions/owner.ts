import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { ExtError, isMap } from '@ext/kernel'
import { nodeEditFiles } from '@ext/kernel/node'

/** The process that works on a session. */
interface Owner {
  readonly pid: number
  readonly host: string
  /** When it was started, by the machine's own count: a number of a process is given away again. Linux only. */
  readonly started?: string
}

/** Stands beside the log. */
function ownerFile(log: string): string {
  return `${log}.owner`
}

/** Claims a log that has just been made, which nobody else can know of. */
export function claimNew(log: string): () => void {
  const file = ownerFile(log)
  writeFileSync(file, JSON.stringify(me()), { mode: 0o600 })
  return () => rmSync(file, { force: true })
}

/**
 * Claims a log for this process. What a process that is gone has left is taken over at once.
 * @throws `agent-core.session.locked` while a process lives that has claimed it, or may live on another machine
 */
export async function claim(log: string): Promise<() => void> {
  const file = ownerFile(log)
  let other: Owner | undefined
  const { written, failure } = await nodeEditFiles().edit(file, async (text) => {
    const owner = text === undefined ? undefined : parse(text)
    other = owner && isAlive(owner) ? owner : undefined
    return other ? undefined : JSON.stringify({ ...me(), since: Date.now() })
  })
  if (other) throw locked(file, other)
  if (!written) throw new ExtError('agent-core.session.unwritable', failure ?? 'nothing was written')
  return () => rmSync(file, { force: true })
}

function me(): Owner {
  const started = startOf(process.pid)
  return { pid: process.pid, host: hostname(), ...(started === undefined ? {} : { started }) }
}

function locked(file: string, { pid, host }: Owner): ExtError {
  const who =
    host === hostname() ? (pid === process.pid ? 'This process' : `Process ${pid}`) : `Process ${pid} of ${host}`
  return new ExtError(
    'agent-core.session.locked',
    `${who} works on the session. Go on with a copy of it (\`fork\`), or end that one. If it is gone, remove ${file}.`,
  )
}

/** What nobody can read is nobody's: it is written in one step, so it comes from somewhere else. */
function parse(text: string): Owner | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isMap(value) || typeof value['pid'] !== 'number' || typeof value['host'] !== 'string') return undefined
    return value as unknown as Owner
  } catch {
    return undefined
  }
}

function isAlive({ pid, host, started }: Owner): boolean {
  // Nobody here can know.
  if (host !== hostname()) return true
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  const now = startOf(pid)
  return started === undefined || now === undefined || now === started
}

/** `undefined` where the machine does not say; `gone` for what has ended and was not collected yet. */
function startOf(pid: number): string | undefined {
  try {
    // The name of the program stands in brackets and may hold anything.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? 'gone' : fields[19]
  } catch {
    return undefined
  }
}
