import { constants } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import type { AuditRecord, AuditSink } from '../audit.js'

export interface NodeAuditLogOptions {
  /** Absolute path, such as `/home/me/.ext/audit.jsonl`; its folder is made when it is needed. */
  readonly file: string
  /** How long the file may get; then it is put aside under a name with the time in it. Default 16 MiB. */
  readonly maxBytes?: number
  /** How many of those are kept; the oldest go first. Default 20. */
  readonly keep?: number
}

const MAX_BYTES = 16 * 1024 * 1024
const KEEP = 20
/** Never through a link: what it leads to is somebody else's. */
const APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW

/**
 * Writes audit records into a file that only its owner can read, one JSON object a line, in the order in which they come.
 * Several processes can write to the same file.
 */
export function nodeAuditLog({ file, maxBytes = MAX_BYTES, keep = KEEP }: NodeAuditLogOptions): AuditSink {
  const folder = dirname(file)
  let last: Promise<void> = Promise.resolve()
  let aside = 0

  async function append(line: string): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if ((await sizeOf(file)) + Buffer.byteLength(line) > maxBytes) await putAside()
    const handle = await open(file, APPEND, 0o600)
    try {
      // It may have been there before, for more eyes.
      await handle.chmod(0o600)
      // In one write, so that lines of several processes do not mix.
      await handle.appendFile(line)
    } finally {
      await handle.close()
    }
  }

  /** Under a name of its own: two processes that do this at once lose nothing. */
  async function putAside(): Promise<void> {
    const ending = extname(file)
    const stem = basename(file, ending)
    const time = new Date().toISOString().replaceAll(':', '-')
    const name = `${stem}.${time}.${process.pid}-${++aside}${ending}`
    await rename(file, join(folder, name)).catch(ignoreMissing)
    const older = new RegExp(`^${literal(stem)}\\.\\d{4}-\\d\\d-\\d\\dT[\\d.-]+Z\\.\\d+-\\d+${literal(ending)}$`)
    const names = (await readdir(folder)).filter((each) => older.test(each)).sort()
    await Promise.all(
      names.slice(0, Math.max(0, names.length - keep)).map((each) => rm(join(folder, each), { force: true })),
    )
  }

  return {
    write(record: AuditRecord): Promise<void> {
      const written = last.then(() => append(`${JSON.stringify(record)}\n`))
      last = written.catch(() => {})
      return written
    },
  }
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(ignoreMissing)
  return found?.size ?? 0
}

/** @throws whatever else went wrong */
function ignoreMissing(error: unknown): undefined {
  if ((error as { readonly code?: unknown }).code !== 'ENOENT') throw error
  return undefined
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\-]/g, '\\$&')
}
