import { parseYaml } from '../document/parse-yaml.js'
import type { Parsed } from '../document/parsed.js'
import { isMap } from '../reader.js'
import { readFlat } from './flat.js'

/** A header that can be read once some of its values are taken as plain texts. */
export interface Rescued {
  readonly parsed: Parsed
  /** Names of the fields whose values YAML would not take as they stand, in order. */
  readonly fields: readonly string[]
}

/**
 * Reads a header that YAML refuses because of `: ` in a text without quotes, such as `description: Use it: always`, or of
 * the signs that a text begins with, such as `argument-hint: [file] [format]`. It takes whole values of top-level fields
 * on one line for texts, and nothing else; whatever else is wrong stays wrong.
 * @param isText whether a field can only hold a text
 */
export async function rescue(header: string, isText: (field: string) => boolean): Promise<Rescued | undefined> {
  const texts = new Map<string, { readonly text: string; readonly stand: string }>()
  let rewritten = ''
  let at = 0
  for (const { 0: line, index, groups = {} } of header.matchAll(FIELD)) {
    const { key = '', value = '' } = groups
    const start = index + line.length - value.length
    const text = value.trimEnd()
    if (!isColonText(text) && !(isText(key) && isNoYaml(text))) continue
    // Of the same length, so that every place stays where it is.
    const stand = 'x'.repeat(text.length)
    texts.set(key, { text, stand })
    rewritten += header.slice(at, start) + stand
    at = start + text.length
  }
  if (texts.size === 0) return undefined
  rewritten += header.slice(at)

  const parsed = readFlat(rewritten) ?? (await parseYaml(rewritten))
  const { value } = parsed
  // A text that goes on in the next line, or a line that is no field, shows here.
  if (!isMap(value)) return undefined
  const fits = [...texts].every(([key, { stand }]) => Object.hasOwn(value, key) && value[key] === stand)
  if (!fits) return undefined
  const fields = Object.entries(value).map(([key, part]) => [key, texts.get(key)?.text ?? part] as const)
  return {
    parsed: {
      value: Object.fromEntries(fields),
      problems: parsed.problems,
      locate: (path, part) => parsed.locate(path, part),
    },
    fields: [...texts.keys()],
  }
}

/** A field at the top level, with its value on the same line. */
const FIELD = /^(?<key>[A-Za-z_][\w-]*):[ \t]+(?<value>[^\s].*)$/gm

/** Not what opens a quote, a list, a map, a block, an anchor, an alias or a tag, and nothing that may be a comment. */
export function isColonText(text: string): boolean {
  return /:(?:[ \t]|$)/.test(text) && !/^['"[\]{}|>&*!%@`#?,:-]|[ \t]#/.test(text)
}

/** A list or map with something behind it, or what begins with a sign that YAML keeps for itself. */
function isNoYaml(text: string): boolean {
  return /^(?:\[[^\]]*\]|\{[^}]*\})[ \t]*\S|^[@`%*]/.test(text) && !/[ \t]#/.test(text)
}
