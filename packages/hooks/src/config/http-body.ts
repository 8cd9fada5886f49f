import { isMap } from '@ext/kernel'
import { fieldAt } from '../field-at.js'

/** No quote and no backslash, so that a placeholder is never taken for a part of the JSON around it. */
const PLACEHOLDER = /\$\{([^{}"\\\s]*)\}/g

/** The fields that a template names, each as it is written. */
export function placeholders(template: string): readonly string[] {
  return [...template.matchAll(PLACEHOLDER)].map(([, path]) => path ?? '')
}

/** The content type that is set, in lower case and without its parameters. */
export function contentTypeOf(headers: Readonly<Record<string, string>>): string | undefined {
  const name = Object.keys(headers).find((name) => name.toLowerCase() === 'content-type')
  return name === undefined ? undefined : headers[name]?.split(';')[0]?.trim().toLowerCase()
}

/**
 * Puts fields of the payload into a template, in the way of its content type, so that no value can end the place where it
 * stands: in JSON between quotes as a part of that text and elsewhere as a value, in a form encoded, in any other text as
 * it is.
 * @returns `missing`: the first field that the payload lacks
 */
export function fillBody(
  template: string,
  contentType: string | undefined,
  payload: unknown,
): { readonly body: string; readonly missing?: string } {
  let missing: string | undefined
  const insert = insertFor(contentType)
  const body = template.replace(PLACEHOLDER, (_whole, path: string, at: number) => {
    const value = fieldAt(payload, path.split('.'))
    if (value === undefined) missing ??= path
    return insert(value, template, at)
  })
  return missing === undefined ? { body } : { body, missing }
}

type Insert = (value: unknown, template: string, at: number) => string

function insertFor(contentType = 'application/json'): Insert {
  if (/[/+]json$/.test(contentType)) {
    return (value, template, at) => {
      if (!isInString(template, at)) return JSON.stringify(value) ?? 'null'
      return JSON.stringify(asText(value)).slice(1, -1)
    }
  }
  if (contentType === 'application/x-www-form-urlencoded') return (value) => encodeURIComponent(asText(value))
  return asText
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** Whether a place of a JSON text lies between quotes. */
function isInString(json: string, at: number): boolean {
  let inside = false
  for (let index = 0; index < at; index++) {
    if (json[index] === '\\') index++
    else if (json[index] === '"') inside = !inside
  }
  return inside
}

/**
 * Whether a template of JSON is JSON once its placeholders are filled, whatever with; other content types have no form to
 * break.
 */
export function isWellFormed(template: string, contentType: string | undefined): boolean {
  if (contentType !== undefined && !/[/+]json$/.test(contentType)) return true
  // A backslash would take the first character of what is put in behind it for a part of itself.
  if (/(?<!\\)(?:\\\\)*\\\$\{/.test(template)) return false
  const insert = insertFor(contentType)
  // A text alone would fit where a name is expected, and an empty one where nothing is.
  return [null, '', 'x'].every((value) => {
    try {
      JSON.parse(template.replace(PLACEHOLDER, (_whole, _path, at: number) => insert(value, template, at)))
      return true
    } catch {
      return false
    }
  })
}

/** A payload with some of its fields only, each in its place. A field that is not there is left out. */
export function pickFields(payload: unknown, paths: readonly string[]): unknown {
  const picked: Record<string, unknown> = {}
  for (const path of paths) {
    const value = fieldAt(payload, path.split('.'))
    if (value === undefined) continue
    const names = path.split('.')
    const last = names.pop() ?? ''
    let part = picked
    for (const name of names) {
      const below = Object.hasOwn(part, name) ? part[name] : undefined
      const next = isMap(below) ? { ...below } : {}
      part[name] = next
      part = next
    }
    part[last] = value
  }
  return picked
}
