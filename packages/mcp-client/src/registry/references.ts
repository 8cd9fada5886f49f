import { isMap, joinPointer, parsePointer } from '@ext/kernel'
import { walkSchema } from './walk-schema.js'

/**
 * The first `$ref` of a JSON Schema that leads nowhere inside the document, with its place; `undefined` if all do.
 * Nothing is ever fetched, so a reference to somewhere else leads nowhere too.
 */
export function danglingReference(schema: unknown): { readonly ref: string; readonly pointer: string } | undefined {
  const references: { ref: string; pointer: string; root: unknown }[] = []
  const targets = new Set<string>()
  for (const { value, root, pointer } of walkSchema(schema)) {
    const { $id, $anchor, $dynamicAnchor, $ref } = value
    if (typeof $id === 'string') targets.add($id)
    for (const anchor of [$anchor, $dynamicAnchor]) if (typeof anchor === 'string') targets.add(`#${anchor}`)
    if (typeof $ref === 'string') references.push({ ref: $ref, pointer: joinPointer(pointer, '$ref'), root })
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
