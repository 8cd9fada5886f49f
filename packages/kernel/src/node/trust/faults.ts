import { diagnosticCodes, type KernelCode } from '../../codes.js'
import { createReporter } from '../../diagnostic.js'
import type { Diagnostic } from '../../types.js'

const report = createReporter(diagnosticCodes)

type Owned = { readonly uid: bigint; readonly mode: bigint }

/** Whether somebody else could have written what is here. Windows has neither owners nor modes of this kind. */
export function accessFault(path: string, info: Owned, what: 'file' | 'folder'): Diagnostic | undefined {
  const me = process.getuid?.()
  if (me === undefined) return undefined
  if (info.uid !== BigInt(me)) {
    return distrusted(
      'trust.store.owner',
      path,
      `the ${what} ${path} belongs to user ${info.uid}, and this process runs as user ${me}`,
      `Run as its owner, or find out who made it and remove it.`,
    )
  }
  if ((info.mode & 0o022n) === 0n) return undefined
  return distrusted(
    'trust.store.writable',
    path,
    `other users can write to the ${what} ${path} (mode ${(info.mode & 0o777n).toString(8)})`,
    `Check what is in the store, then: chmod go-w ${quoted(path)}`,
  )
}

export function linkFault(file: string): Diagnostic {
  const hint = 'Put the file itself there: a link may lead to where others write.'
  return distrusted('trust.store.link', file, 'the trust store is a symbolic link', hint)
}

export function corruptFault(file: string, why: string): Diagnostic {
  const hint = 'Repair it, or approve again: the next approval puts this file aside and starts a new one.'
  return distrusted('trust.store.corrupt', file, `the trust store is damaged: ${why}`, hint)
}

export function versionFault(file: string, why: string): Diagnostic {
  const hint = 'Use the newer version of this program that wrote it, or move the file away and approve again.'
  return distrusted('trust.store.version', file, `the trust store is of another version: ${why}`, hint)
}

export function sizeFault(file: string, limit: number): Diagnostic {
  const hint = 'Move the file away and approve again.'
  return distrusted('trust.store.too-large', file, `the trust store has more than ${limit} bytes`, hint)
}

export function readFault(file: string, why: string): Diagnostic {
  const hint = 'Make it a file that you can read, or move it away and approve again.'
  return distrusted('trust.store.unreadable', file, `the trust store can't be read: ${why}`, hint)
}

/** Not an error: this is how everybody starts. */
export function absent(file: string): Diagnostic {
  return report.info('trust.store.absent', place(file), 'Nothing is approved yet: there is no trust store.', {
    hint: 'It is made with the first approval.',
  })
}

export function putAside(file: string, aside: string): Diagnostic {
  const message = `The damaged trust store was kept as ${aside}; what it approved is not approved any more.`
  return report.warning('trust.store.put-aside', place(file), message, { hint: 'Approve again what you still need.' })
}

export function writeFault(file: string, why: string): Diagnostic {
  return report.error('trust.store.unwritable', place(file), `The trust store can't be written: ${why}.`, {
    hint: 'Nothing was changed. Make room or give access, then try again.',
  })
}

export function lockFault(file: string, lock: string): Diagnostic {
  return report.error('trust.store.locked', place(file), 'Another process holds the trust store and does not let go.', {
    hint: `Nothing was changed. Try again; if no other process runs, remove the folder ${lock}.`,
  })
}

function distrusted(code: KernelCode, file: string, why: string, hint: string): Diagnostic {
  return report.error(code, place(file), `Nothing is approved: ${why}.`, { hint })
}

function place(file: string): Diagnostic['source'] {
  return { layer: 'user', file }
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`
}
