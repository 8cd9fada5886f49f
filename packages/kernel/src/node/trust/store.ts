import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { messageOf } from '../../errors.js'
import type { Approval, StoreChange, StoreState, TrustStore } from '../../trust/types.js'
import type { Diagnostic } from '../../types.js'
import { absent, lockFault, putAside, writeFault } from './faults.js'
import { formatStore, MAX_STORE_BYTES } from './format.js'
import { acquire, lockPath } from './lock.js'
import { currentStamp, readStored, type StoredState } from './read.js'

/** How often others, who write in spite of the lock, may come in between. */
const ATTEMPTS = 10

const TEMPORARY = '.tmp'

/**
 * Approvals in a JSON file of up to 1 MiB, mode 0600, in a folder that is made with mode 0700 where there is none. The
 * file is replaced in one step, under a lock that all processes share.
 * @param options.file absolute path
 */
export function nodeTrustStore(options: { readonly file: string }): TrustStore {
  const file = resolve(options.file)
  return {
    load: async () => stateOf(file, await readStored(file)),
    update: (change) => update(file, change),
  }
}

type Updated = Awaited<ReturnType<TrustStore['update']>>

function stateOf(file: string, stored: StoredState): StoreState {
  if (stored.kind === 'good') return { approvals: stored.approvals, diagnostics: [] }
  return { approvals: [], diagnostics: [stored.kind === 'absent' ? absent(file) : stored.fault] }
}

async function update(file: string, change: StoreChange): Promise<Updated> {
  const before = await readStored(file)
  if (before.kind === 'refused') return { ...stateOf(file, before), failure: before.fault }
  let release: () => Promise<void>
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    release = await acquire(file)
  } catch (error) {
    return failed(file, before, error)
  }
  try {
    return await changeLocked(file, change)
  } finally {
    await release()
  }
}

async function changeLocked(file: string, change: StoreChange): Promise<Updated> {
  for (let attempt = 1; ; attempt++) {
    const stored = await readStored(file)
    if (stored.kind === 'refused') return { ...stateOf(file, stored), failure: stored.fault }
    const next = change(stored.kind === 'good' ? stored.approvals : [], fits)
    if (next === undefined) return stateOf(file, stored)
    try {
      const diagnostics = await replace(file, stored, formatStore(next))
      if (diagnostics) return { approvals: next, diagnostics }
      if (attempt === ATTEMPTS) throw new Error('others write to it all the time')
    } catch (error) {
      return failed(file, stored, error)
    }
  }
}

function fits(approvals: readonly Approval[]): boolean {
  return Buffer.byteLength(formatStore(approvals)) <= MAX_STORE_BYTES
}

/** `undefined`, and nothing done, when the file is no longer what was read. */
async function replace(
  file: string,
  stored: Exclude<StoredState, { kind: 'refused' }>,
  text: string,
): Promise<readonly Diagnostic[] | undefined> {
  const temporary = `${file}.${randomUUID()}${TEMPORARY}`
  try {
    await removeLeftovers(file)
    await writeThrough(temporary, text)
    if ((await currentStamp(file)) !== stored.stamp) return undefined
    const aside = `${file}.corrupt-${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}`
    if (stored.kind === 'corrupt') await rename(file, aside)
    await rename(temporary, file)
    await syncFolder(dirname(file))
    return stored.kind === 'corrupt' ? [putAside(file, aside)] : []
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Only who holds the lock writes, so these are of processes that were killed, or that have lost it. */
async function removeLeftovers(file: string): Promise<void> {
  const isLeftover = (name: string) => name.startsWith(`${basename(file)}.`) && name.endsWith(TEMPORARY)
  for (const name of (await readdir(dirname(file))).filter(isLeftover)) {
    await rm(join(dirname(file), name), { force: true })
  }
}

async function writeThrough(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** So that the new name survives a crash. Some systems can't, and then it may not. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    await handle.sync().finally(() => handle.close())
  } catch {}
}

function failed(file: string, stored: StoredState, error: unknown): Updated {
  const { code } = error as NodeJS.ErrnoException
  const failure = code === 'ELOCKED' ? lockFault(file, lockPath(file)) : writeFault(file, code ?? messageOf(error))
  const { approvals, diagnostics } = stateOf(file, stored)
  return { approvals, diagnostics: [...diagnostics, failure], failure }
}
