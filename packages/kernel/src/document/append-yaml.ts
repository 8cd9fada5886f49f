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
export async function appendToYaml(
  text: string,
  path: readonly string[],
  items: readonly JsonValue[],
): Promise<YamlEdit> {
  // What the readers refuse must not become something else by being written again.
  const parsed = await parseYaml(text)
  const [fault] = parsed.problems
  if (fault) return { problem: `it is not valid YAML: ${'message' in fault ? fault.message : fault.kind}` }
  const { isMap, isSeq, parseDocument } = await import('yaml')
  try {
    const document: Document = parseDocument(text)
    for (let depth = 0; depth < path.length; depth++) {
      const found = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true)
      if (found !== undefined && found !== null && !isMap(found) && !isNull(found)) {
        return { problem: `\`${path.slice(0, depth).join('.') || 'the file'}\` holds something other than a map` }
      }
      if (isNull(found)) {
        if (depth === 0) document.contents = document.createNode({}) as typeof document.contents
        else document.setIn(path.slice(0, depth), document.createNode({}))
      }
    }
    const list = document.getIn(path, true)
    if (!isSeq(list) && list !== undefined && list !== null && !isNull(list)) {
      return { problem: `\`${path.join('.')}\` holds something other than a list` }
    }
    const known = new Set(isSeq(list) ? (list.toJS(document) as unknown[]).map((each) => JSON.stringify(each)) : [])
    const added = items.filter((item) => !known.has(JSON.stringify(item)))
    if (isSeq(list)) for (const item of added) list.add(document.createNode(item))
    else document.setIn(path, document.createNode(added))
    return { text: document.toString({ lineWidth: 0 }) }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}

function isNull(node: unknown): boolean {
  return node === null || (typeof node === 'object' && 'value' in node && node.value === null)
}
