import { relative } from 'node:path'
import { canonicalJson, type Located } from '@ext/kernel'
import type { Runs, TrustSubject } from '@ext/kernel/trust'
import type { PermissionEntry } from '@ext/permission/types'

/** What a person agrees to when something of a project makes permission looser. */
export function permissionSubject({ value, pointer, source }: Located<PermissionEntry>, project: string): TrustSubject {
  const { also, ...runs } = loosens(value)
  // Paths in rules start at the file that they stand in.
  const from = source.file === undefined ? {} : { file: relative(project, source.file) }
  return {
    kind: 'permissions',
    name: nameOf(value, pointer),
    root: project,
    runs: { ...runs, also: { ...also, ...from } },
  }
}

function nameOf(entry: PermissionEntry, pointer: string): string {
  if (entry.kind === 'mode') return `mode ${entry.mode}`
  if (entry.kind === 'directory') return `directory ${entry.path}`
  if (entry.kind !== 'rule') return entry.kind
  return entry.written?.name ?? (entry.text === '' ? pointer : entry.text)
}

function loosens(entry: PermissionEntry): Runs {
  switch (entry.kind) {
    case 'rule': {
      const { effect, text, written } = entry
      return { tools: [text], also: { effect, ...(written ? { rule: canonicalJson(written) } : {}) } }
    }
    case 'mode':
      return { also: { mode: entry.mode } }
    case 'directory':
      return { also: { folder: entry.path } }
    case 'read-only-commands':
      return { also: { 'commands that only read': entry.run ? 'run' : 'are asked' } }
    case 'no-bypass':
      return { also: { mode: 'no bypassPermissions' } }
    case 'managed-only':
      return { also: { rules: 'only managed ones' } }
  }
}
