import { formatPlace } from '@ext/kernel'
import type { EntryRecord, FileSource } from '@ext/kernel/types'
import type { Locations } from '../../locations.js'
import { SCOPES, type Scope } from './scopes.js'

/** The file of a scope; `undefined` where it is the one of another scope, as in the home folder. */
export function fileOf(scope: Scope, { config }: Locations): string | undefined {
  const found = config.find((source): source is FileSource => source.kind === 'file' && source.layer === scope)
  return found?.path
}

/** The scope of a record that stands in one of our own files. */
export function scopeOf({ source }: EntryRecord, locations: Locations): Scope | undefined {
  return SCOPES.find((scope) => source.file !== undefined && fileOf(scope, locations) === source.file)
}

export function placeOf({ source }: EntryRecord): string {
  return formatPlace(source)
}

/** That a file is as it was, and why: a sentence with a way out. */
export function unchanged(what: string, why: string): string {
  return `${what}: ${why.replace(/\.$/, '')}. Check that it is a file, and that you may write it and its folder.`
}
