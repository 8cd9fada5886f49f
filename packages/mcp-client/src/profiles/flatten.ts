import { canonicalJson, isMap, joinPointer } from '@ext/kernel'
import { type Changes, describeIn, type Part } from './adapted.js'
import { mergeBoth } from './merge.js'

/**
 * The same schema without `allOf`, `oneOf` and `anyOf` at its top, where Anthropic and OpenAI refuse them. Properties of all
 * alternatives are there; which go together is said in words.
 */
export function flattenTop(schema: Part, changes: Changes): Part {
  let part = foldAll(schema, '', changes)
  for (const key of ['oneOf', 'anyOf'] as const) {
    const { [key]: alternatives, ...rest } = part
    if (!Array.isArray(alternatives)) continue
    const objects = alternatives.flatMap((each, index) => {
      if (each === true) return [{}]
      return isMap(each) ? [foldAll({ ...each }, joinPointer(`/${key}`, index), changes)] : []
    })
    part = withAlternatives(rest, objects)
    if (!sameProperties(objects))
      changes.narrow(`/${key}`, 'a property is what one alternative says of it, also where another holds')
    const words = objects.map((each) => wordsFor(each)).join('; or ')
    const sentence = `Give ${key === 'oneOf' ? 'exactly' : 'at least'} one of: ${words}.`
    part = describeIn(part, sentence)
    changes.drop(
      `/${key}`,
      `that ${key === 'oneOf' ? 'exactly' : 'at least'} one of its ${objects.length} alternatives holds; it is said in words`,
    )
  }
  return part
}

/** Without `allOf`: what its parts say together, as far as that can be said without it. */
export function foldAll(schema: Part, pointer: string, changes: Changes): Part {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf)) return schema
  let part: Part = rest
  for (const [index, each] of allOf.entries()) {
    if (each === true) continue
    const merged = isMap(each)
      ? mergeBoth(part, foldAll({ ...each }, joinPointer(pointer, `allOf/${index}`), changes))
      : undefined
    if (merged) part = merged
    else changes.drop(`${pointer}/allOf/${index}`, 'what this part of `allOf` says')
  }
  return part
}

function withAlternatives(base: Part, alternatives: readonly Part[]): Part {
  const own = isMap(base['properties']) ? base['properties'] : {}
  const properties = new Map<string, unknown[]>(Object.entries(own).map(([name, schema]) => [name, [schema]]))
  for (const { properties: more } of alternatives) {
    if (!isMap(more)) continue
    for (const [name, schema] of Object.entries(more)) {
      // What the base says holds in any case.
      if (Object.hasOwn(own, name)) continue
      const known = properties.get(name) ?? []
      if (!known.some((each) => canonicalJson(each) === canonicalJson(schema))) properties.set(name, [...known, schema])
    }
  }
  const required = alternatives.map(({ required: names }) => new Set(Array.isArray(names) ? names : []))
  const inAll = [...(required[0] ?? [])].filter((name) => required.every((names) => names.has(name)))
  const had = Array.isArray(base['required']) ? base['required'] : []
  const all = [...new Set([...had, ...inAll])]
  return {
    ...base,
    ...(properties.size === 0
      ? {}
      : { properties: Object.fromEntries([...properties].map(([name, schemas]) => [name, anyOf(schemas)])) }),
    ...(all.length === 0 ? {} : { required: all }),
  }
}

function sameProperties(alternatives: readonly Part[]): boolean {
  return new Set(alternatives.map(({ properties }) => canonicalJson(properties ?? {}))).size <= 1
}

function anyOf(schemas: readonly unknown[]): unknown {
  return schemas.length === 1 ? schemas[0] : { anyOf: schemas }
}

function wordsFor({ title, description, required, properties }: Part): string {
  const names =
    Array.isArray(required) && required.length > 0 ? required : Object.keys(isMap(properties) ? properties : {})
  const label = typeof title === 'string' ? title : typeof description === 'string' ? description : undefined
  const fields = names.length === 0 ? 'nothing' : names.join(', ')
  return label === undefined ? fields : `${fields} (${label.trim().replace(/\.$/, '')})`
}
