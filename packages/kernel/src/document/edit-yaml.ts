import type { Document } from 'yaml'
import type { JsonValue } from '../contract.js'
import { messageOf } from '../errors.js'
import { parseYaml } from './parse-yaml.js'

/** A changed text, or why there is none. */
export type YamlEdit =
  | { readonly text: string; readonly problem?: undefined }
  | { readonly text?: undefined; readonly problem: string }

/**
 * Appends items to a list in a YAML text; maps and list on the way are made where they are missing. Comments, and the
 * order of everything that is there, stay; an item that is in the list already is not added again. Never throws: a text
 * that is not valid YAML, or holds something else in that place, is a problem.
 * @param path keys from the top to the list
 */
export function appendToYaml(text: string, path: readonly string[], items: readonly JsonValue[]): Promise<YamlEdit> {
  return edit(text, async (document) => {
    const { isSeq } = await import('yaml')
    const problem = await makeMaps(document, path)
    if (problem !== undefined) return problem
    const list = document.getIn(path, true)
    if (!isSeq(list) && list !== undefined && !isNull(list)) {
      return `\`${path.join('.')}\` holds something other than a list`
    }
    const known = new Set(isSeq(list) ? (list.toJS(document) as unknown[]).map((each) => JSON.stringify(each)) : [])
    const added = items.filter((item) => !known.has(JSON.stringify(item)))
    if (isSeq(list)) for (const item of added) list.add(document.createNode(item))
    else document.setIn(path, document.createNode(added))
    return undefined
  })
}

/**
 * Sets what stands under a key of a YAML text; maps on the way are made where they are missing. What is there already is
 * replaced, and keeps its place in the order. Comments outside of it stay. Never throws, like {@link appendToYaml}.
 * @param path keys from the top, at least one
 */
export function setInYaml(text: string, path: readonly string[], value: JsonValue): Promise<YamlEdit> {
  return edit(text, async (document) => {
    const problem = await makeMaps(document, path)
    if (problem === undefined) document.setIn(path, document.createNode(value))
    return problem
  })
}

/**
 * Removes a key with what stands under it, and the comments that belong to it, from a YAML text. Comments elsewhere stay.
 * Never throws, like {@link appendToYaml}; a key that is not there is a problem.
 * @param path keys from the top, at least one
 */
export function removeFromYaml(text: string, path: readonly string[]): Promise<YamlEdit> {
  return edit(text, async (document) => {
    if (document.hasIn(path) && document.deleteIn(path)) return undefined
    return `there is no \`${path.join('.')}\``
  })
}

/** @param change says what keeps it from changing the document, if something does */
async function edit(text: string, change: (document: Document) => Promise<string | undefined>): Promise<YamlEdit> {
  // What the readers refuse must not become something else by being written again.
  const parsed = await parseYaml(text)
  const [fault] = parsed.problems
  if (fault) return { problem: `it is not valid YAML: ${'message' in fault ? fault.message : fault.kind}` }
  const { parseDocument } = await import('yaml')
  try {
    const document: Document = parseDocument(text)
    const problem = await change(document)
    return problem === undefined ? { text: document.toString({ lineWidth: 0 }) } : { problem }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}

/** Makes the maps on the way to the last key, or says what stands in the way. */
async function makeMaps(document: Document, path: readonly string[]): Promise<string | undefined> {
  const { isMap } = await import('yaml')
  for (let depth = 0; depth < path.length; depth++) {
    const found = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true)
    if (found !== undefined && !isMap(found) && !isNull(found)) {
      return `\`${path.slice(0, depth).join('.') || 'the file'}\` holds something other than a map`
    }
    if (isNull(found)) {
      if (depth === 0) document.contents = document.createNode({}) as typeof document.contents
      else document.setIn(path.slice(0, depth), document.createNode({}))
    }
  }
  return undefined
}

function isNull(node: unknown): boolean {
  return node === null || (typeof node === 'object' && 'value' in node && node.value === null)
}
