/**
 * `@ext/permission` decides whether a tool call may run (allow, ask or deny) and says why.
 * Every name here is public.
 * @module
 */
import type { Permission, PermissionOptions } from './types.js'

export { diagnosticCodes, type PermissionCode } from './codes.js'
export type {
  AskSettings,
  AuthorizeOptions,
  ClassifierPort,
  CompiledEntry,
  ExplainedUnit,
  Explanation,
  KeepVisible,
  Permission,
  PermissionEntry,
  PermissionOptions,
  PermissionSession,
  PermissionSessionOptions,
  Remembered,
  RememberedRule,
  RememberFiles,
  RememberOptions,
  RuleTests,
  SuggestedRule,
  UserPort,
  WrittenRule,
} from './types.js'

/**
 * Reads the layers and makes an engine that decides calls. Bad configuration never rejects; it is in `diagnostics`.
 * Rejects with `kernel.reader.unknown` when a source names a dialect that this package does not read.
 */
export async function createPermission(options: PermissionOptions): Promise<Permission> {
  const { openPermission } = await import('./engine.js')
  return openPermission(options)
}
