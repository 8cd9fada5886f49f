import { isMap, joinPointer, parsePointer } from '@ext/kernel'

/** Keywords whose value is a map of names to schemas: in there, `default` or `enum` are names, not keywords. */
const SCHEMA_MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])

/** Keywords whose value is data. */
const DATA = new Set(['const', 'enum', 'default', 'examples', 'example'])

interface Node {
  readonly value: unknown
  /** The schema that `#` stands for here: the nearest one around with an `$id` of its own. */
  readonly root: unknown
  readonly isMapOfSchemas: boolean
  readonly pointer: string
}

/**
 * The first `$ref` of a JSON Schema that leads nowhere inside the document, with its place; `undefined` if all do.
 * Nothing is ever fetched, so a reference to somewhere else leads nowhere too.
 */
export function danglingReference(schema: unknown): { readonly ref: string; readonly pointer: string } | undefined {
  const references: { ref: string; pointer: string; root: unknown }[] = []
  const targets = new Set<string>()
  const todo: Node[] = [{ value: schema, root: schema, isMapOfSchemas: false, pointer: '' }]
  for (let node = todo.pop(); node; node = todo.pop()) {
    const { value, isMapOfSchemas, pointer } = node
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        todo.push({ ...node, value: item, isMapOfSchemas: false, pointer: joinPointer(pointer, index) })
      }
    }
    if (!isMap(value)) continue
    let root = node.root
    if (!isMapOfSchemas) {
      const { $id, $anchor, $dynamicAnchor, $ref } = value
      if (typeof $id === 'string') {
        targets.add($id)
        if (!$id.startsWith('#')) root = value
      }
      for (const anchor of [$anchor, $dynamicAnchor]) if (typeof anchor === 'string') targets.add(`#${anchor}`)
      if (typeof $ref === 'string') references.push({ ref: $ref, pointer: joinPointer(pointer, '$ref'), root })
    }
    for (const [key, child] of Object.entries(value)) {
      if (!isMapOfSchemas && DATA.has(key)) continue
      const inMap = !isMapOfSchemas && SCHEMA_MAPS.has(key)
      todo.push({ value: child, root, isMapOfSchemas: inMap, pointer: joinPointer(pointer, key) })
    }
  }
  const ids = [...targets].filter((target) => !target.startsWith('#'))
  return references.find(({ ref, root }) => {
    const [document = ''] = ref.split('#', 1)
    // What stands behind the # of a part with a name of its own is left to whoever validates with the schema.
    if (document !== '') return !ids.some((id) => id === document || id.endsWith(`/${document}`))
    return !targets.has(ref) && !leadsSomewhere(ref, root)
  })
}

function leadsSomewhere(ref: string, root: unknown): boolean {
  if (ref === '#') return true
  if (!ref.startsWith('#/')) return false
  let value = root
  for (const segment of parsePointer(decode(ref.slice(1)))) {
    if (Array.isArray(value)) value = value[Number(segment)]
    else if (isMap(value) && Object.hasOwn(value, segment)) value = value[segment]
    else return false
  }
  return value !== undefined
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
