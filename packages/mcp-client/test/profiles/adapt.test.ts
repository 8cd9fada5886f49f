import { createSchemaValidator } from '@ext/kernel/ajv'
import type { JsonSchema } from '@ext/kernel/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { adaptSchema } from '../../src/profiles/adapt.js'
import type { Adapted, Provider } from '../../src/profiles/adapted.js'
import { danglingReference } from '../../src/registry/references.js'
import { walkSchema } from '../../src/registry/walk-schema.js'
import { CORPUS } from './corpus.js'

const validator = await createSchemaValidator()
const PROVIDERS: readonly Provider[] = ['anthropic', 'openai', 'gemini']

/** Compiled once for all values: compiling takes far longer than checking. */
function accepts(schema: JsonSchema): (value: unknown) => boolean {
  const check = validator.compile(schema)
  if (typeof check !== 'function') throw new Error(check.problem)
  return (value) => check(value).length === 0
}

/** `nullable` is a word of OpenAPI. */
function fromOpenApi(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromOpenApi)
  if (typeof value !== 'object' || value === null) return value
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, fromOpenApi(child)]),
  )
  return nullable === true ? { anyOf: [rest, { type: 'null' }] } : nullable === undefined ? rest : { ...rest, nullable }
}

/** A value under one schema and not under the other is only possible where a change says so. */
function honesty(original: JsonSchema, { schema, changes }: Adapted): (value: unknown) => void {
  const [before, after] = [accepts(original), accepts(fromOpenApi(schema) as JsonSchema)]
  const effects = changes.map(({ effect }) => effect)
  return (value) => {
    const [was, is] = [before(value), after(value)]
    if (is && !was) expect(effects).toContain('dropped')
    if (was && !is) expect(effects).toContain('narrowed')
  }
}

/** Values that have something to do with the schema: its names, what it lists, numbers near its bounds. */
function valuesFor(schema: JsonSchema) {
  const names = new Set(['other'])
  const leaves = new Set<unknown>(['', 'text', 0, 1, 1.5, -1, true, null])
  for (const { value } of walkSchema(schema)) {
    for (const map of [value['properties'], value['patternProperties']]) {
      if (typeof map === 'object' && map !== null) for (const name of Object.keys(map)) names.add(name)
    }
    for (const item of [...(Array.isArray(value['enum']) ? value['enum'] : []), value['const']]) {
      if (item !== undefined) leaves.add(item)
    }
    for (const bound of ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']) {
      const number = value[bound]
      if (typeof number === 'number') for (const near of [-1, -0.5, 0, 0.5, 1]) leaves.add(number + near)
    }
  }
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(...leaves),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 5 }),
    ),
  }))
  return fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 6 })
}

for (const provider of PROVIDERS) {
  test(`${provider}: schemas of real tools in the form it takes, with all that was left out`, async () => {
    const adapted = CORPUS.map(([what, schema]) => {
      const { schema: form, changes, unusable } = adaptSchema(schema, provider)
      const same = JSON.stringify(form) === JSON.stringify(schema)
      return {
        what,
        ...(same ? { same } : { form }),
        ...(changes.length ? { changes } : {}),
        ...(unusable ? { unusable } : {}),
      }
    })
    await expect(`${JSON.stringify(adapted, null, 2)}\n`).toMatchFileSnapshot(`../golden/profiles/${provider}.json`)
  })

  test.each(CORPUS)(
    `${provider}: what is valid in its form of %s is valid in the original, unless a report says otherwise`,
    (_what, schema) => {
      fc.assert(fc.property(valuesFor(schema), honesty(schema, adaptSchema(schema, provider))), {
        numRuns: 150,
        seed: 9,
      })
    },
  )

  test(`${provider}: the same holds for schemas that nobody has seen`, () => {
    fc.assert(
      fc.property(anySchema(), fc.infiniteStream(fc.nat()), (schema, seeds) => {
        const isHonest = honesty(schema, adaptSchema(schema, provider))
        for (const value of fc.sample(valuesFor(schema), { numRuns: 15, seed: seeds.next().value ?? 1 }))
          isHonest(value)
      }),
      { numRuns: 150, seed: 9 },
    )
  })

  test(`${provider}: nothing is left in it that the provider refuses`, () => {
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...CORPUS.map(([, schema]) => schema)), anySchema()), (schema) => {
        const { schema: form } = adaptSchema(schema, provider)
        expect(refused(form, provider)).toEqual([])
      }),
      { numRuns: 400, seed: 9 },
    )
  })
}

test('adapting what was adapted changes nothing more', () => {
  for (const provider of PROVIDERS) {
    for (const [, schema] of CORPUS) {
      const once = adaptSchema(schema, provider).schema
      expect(adaptSchema(once, provider).schema).toEqual(once)
    }
  }
})

/** What is known to cost a turn, read off the providers' documentation and public reports. */
function refused(form: JsonSchema, provider: Provider): readonly string[] {
  const found: string[] = []
  if (form['type'] !== 'object') found.push(`type ${String(form['type'])}`)
  const top = {
    anthropic: ['oneOf', 'anyOf', 'allOf'],
    openai: ['oneOf', 'anyOf', 'allOf', 'enum', 'not', 'const'],
    gemini: [],
  }
  for (const key of top[provider]) if (form[key] !== undefined) found.push(`${key} at the top`)
  if (provider === 'anthropic') {
    for (const name of Object.keys(form['properties'] ?? {})) if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(name)) found.push(name)
  }
  for (const { value, pointer } of walkSchema(form)) {
    if (provider === 'openai' && value['type'] === 'array' && value['items'] === undefined) found.push(pointer)
    if (typeof value['$ref'] === 'string' && danglingReference(form)) found.push(`${pointer}/$ref leads nowhere`)
    if (provider !== 'gemini') continue
    if (value['anyOf'] !== undefined && Object.keys(value).length > 1) found.push(`${pointer} has more than anyOf`)
    const described = Object.keys(value['properties'] ?? {})
    if (value['properties'] !== undefined && described.length === 0 && pointer !== '')
      found.push(`${pointer}/properties`)
    for (const name of (value['required'] as string[] | undefined) ?? []) {
      if (!described.includes(name)) found.push(`${pointer}/required ${name}`)
    }
    for (const key of [
      '$ref',
      '$defs',
      'const',
      'oneOf',
      'allOf',
      'not',
      'additionalProperties',
      'patternProperties',
      'if',
      'exclusiveMinimum',
    ]) {
      if (Object.hasOwn(value, key)) found.push(`${pointer}/${key}`)
    }
    if (Array.isArray(value['type'])) found.push(`${pointer}/type`)
    if (value['type'] === undefined && value['anyOf'] === undefined) found.push(`${pointer} has no type`)
    if (value['type'] === 'array' && typeof value['items'] !== 'object') found.push(`${pointer} has no items`)
    if (Array.isArray(value['enum']) && !value['enum'].every((item) => typeof item === 'string' && item !== ''))
      found.push(`${pointer}/enum`)
  }
  return found
}

/** Schemas of objects with whatever keywords tools use. */
function anySchema(): fc.Arbitrary<JsonSchema> {
  const names = fc.constantFrom('a', 'b', 'c d')
  const { any } = fc.letrec<{ any: JsonSchema }>((tie) => {
    const properties = fc.dictionary(names, tie('any'), { maxKeys: 3 })
    return {
      any: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        fc.constantFrom<JsonSchema>(
          {},
          { type: 'string' },
          { type: 'integer', exclusiveMinimum: 1 },
          { const: 1 },
          { enum: ['x', 'y'] },
        ),
        fc.constantFrom<JsonSchema>(
          { type: ['string', 'null'] },
          { type: ['string', 'null'], enum: ['x'] },
          { type: 'array', prefixItems: [{ type: 'string' }, {}], maxItems: 2 },
          { type: 'array', prefixItems: [{ type: 'integer' }] },
          { type: 'array', items: false },
          { type: ['string', 'integer'], enum: ['x', 1] },
          { $ref: '#/$defs/t' },
        ),
        fc.record(
          {
            type: fc.constant('object'),
            properties,
            required: fc.uniqueArray(names),
            additionalProperties: fc.boolean(),
          },
          { requiredKeys: ['type'] },
        ),
        fc.record({ type: fc.constant('array'), items: tie('any'), minItems: fc.nat(3) }, { requiredKeys: ['type'] }),
        fc.record({ anyOf: fc.array(tie('any'), { minLength: 1, maxLength: 3 }) }),
        fc.record({
          anyOf: fc.array(tie('any'), { minLength: 1, maxLength: 2 }),
          type: fc.constantFrom('object', 'string', 'array'),
          required: fc.uniqueArray(names),
        }),
        fc.record({ oneOf: fc.array(tie('any'), { minLength: 1, maxLength: 2 }) }),
        fc.record(
          { allOf: fc.array(tie('any'), { minLength: 1, maxLength: 2 }), type: fc.constantFrom('object', 'string') },
          { requiredKeys: ['allOf'] },
        ),
      ),
    }
  })
  return fc
    .record(
      {
        properties: fc.dictionary(names, any, { maxKeys: 3 }),
        required: fc.uniqueArray(names),
        additionalProperties: fc.boolean(),
        oneOf: fc.array(
          fc.record({ required: fc.uniqueArray(names), properties: fc.dictionary(names, any, { maxKeys: 2 }) }),
          { minLength: 1, maxLength: 3 },
        ),
        allOf: fc.array(
          fc.record({ required: fc.uniqueArray(names), properties: fc.dictionary(names, any, { maxKeys: 2 }) }),
          { minLength: 1, maxLength: 2 },
        ),
      },
      { requiredKeys: ['properties'] },
    )
    .map((schema) => ({ ...schema, type: 'object', $defs: { t: { type: 'string', minLength: 1 } } }))
}
