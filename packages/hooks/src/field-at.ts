import { isMap } from '@ext/kernel'

/**
 * The part of a payload that a path of names and list positions leads to; `undefined` if there is none. Own parts only, so
 * that `constructor` is no field.
 */
export function fieldAt(payload: unknown, path: readonly string[]): unknown {
  let value = payload
  for (const name of path) {
    if (Array.isArray(value)) value = /^\d+$/.test(name) ? value[Number(name)] : undefined
    else value = isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }
  return value
}
