/**
 * Permission rules of other programs in the native form (`@ext/permission/import`).
 * @module
 */
export { type ImportOptions, type ImportResult, importPermissions } from './import.js'
