import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { checkSchema, type Diagnostic, parseDocument } from '../src/index.js'

const ajv = new Ajv2020({ allErrors: true, discriminator: true, strict: false, verbose: true })
const SERVER = {
  type: 'object',
  required: ['command'],
  additionalProperties: false,
  properties: {
    command: { type: 'string', minLength: 1 },
    args: { type: 'array', items: { type: 'string' } },
    transport: { enum: ['stdio', 'http', 'sse'] },
    limits: {
      type: 'object',
      required: ['calls'],
      additionalProperties: false,
      properties: { calls: { type: 'integer' }, 'a/b': { type: 'boolean' } },
    },
    env: { type: 'object', propertyNames: { pattern: '^[A-Z]+$' }, additionalProperties: { type: 'string' } },
    only: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    legacy: false,
    not: { not: { const: 'never' } },
    one: { oneOf: [{ minimum: 1 }, { maximum: 5 }] },
  },
}
const server = ajv.compile(SERVER)
const KEYS = Object.keys(SERVER.properties)

/** Checks the YAML of one entry, given as it stands below `servers: {fs: …}`. */
async function check(lines: string, validate: Parameters<typeof checkSchema>[0] = server) {
  const text = `servers:\n  fs:\n${lines.replace(/^/gm, '    ')}\n`
  const { document } = await parseDocument(text, 'yaml', { layer: 'user', dialect: 'ext', file: '/f' })
  if (!document) throw new Error('not valid YAML')
  const value = (document.value as { servers: { fs: unknown } }).servers.fs
  return checkSchema(validate, document.located('/servers/fs', value), KEYS)
}

const lines = (diagnostics: readonly Diagnostic[]) =>
  diagnostics.map(({ severity, code, message, hint, source }) =>
    [`${source.line}:${source.column} ${severity} ${code}`, message, hint].join(' | '),
  )

describe('an entry that fits its schema', () => {
  it('comes back as it is, without a word', async () => {
    expect(await check('command: npx\nargs: [a]')).toEqual({ value: { command: 'npx', args: ['a'] }, diagnostics: [] })
  })
})

describe('an entry that does not', () => {
  it.each([
    ['lacks a field', 'args: []', '3:5 error schema.required | The entry lacks the field `command`. | Add `command`.'],
    [
      'lacks a field inside',
      'command: a\nlimits: {}',
      '4:13 error schema.required | `limits` lacks the field `calls`. | Add `calls`.',
    ],
    [
      'has the wrong type',
      'command: [npx]',
      '3:14 error schema.type | `command` is a list, not a text. | Write a text.',
    ],
    [
      'has the wrong type deep inside',
      'command: a\nargs: [x, 5]',
      '4:15 error schema.type | `args.1` is the number 5, not a text. | Write a text.',
    ],
    [
      'has none of two types',
      'command: a\nonly: 5',
      '4:11 error schema.type | `only` is the number 5, not a text or a list. | Write a text or a list.',
    ],
    [
      'has a value out of a list',
      'command: a\ntransport: htpp',
      '4:16 error schema.value | `transport` is the text "htpp". | Did you mean "http"?',
    ],
    [
      'has a value far from the list',
      'command: a\ntransport: websocket',
      '4:16 error schema.value | `transport` is the text "websocket". | Use one of: stdio, http, sse.',
    ],
    [
      'has an empty text',
      'command: ""',
      '3:14 error schema.value | `command` is the text ""; it must NOT have fewer than 1 characters. | Change the value so that it fits.',
    ],
    [
      'has a key with a slash that is wrong',
      'command: a\nlimits: {calls: 1, a/b: 2}',
      '4:29 error schema.type | `limits.a/b` is the number 2, not true or false. | Write true or false.',
    ],
    [
      'has a name that is wrong',
      'command: a\nenv: {lower: x}',
      '4:11 error schema.value | `lower` is no valid name; it must match pattern "^[A-Z]+$". | Change the name so that it fits.',
    ],
    [
      'has a field that nothing may stand in',
      'command: a\nlegacy: 1',
      '4:13 error schema.value | `legacy` is the number 1; nothing is accepted here. | Change the value so that it fits.',
    ],
    [
      'has a value that is excluded',
      'command: a\nnot: never',
      '4:10 error schema.value | `not` is the text "never"; it must NOT be valid. | Change the value so that it fits.',
    ],
    [
      'fits too many of its alternatives',
      'command: a\none: 3',
      '4:10 error schema.value | `one` is the number 3; it must match exactly one schema in oneOf. | Change the value so that it fits.',
    ],
  ])('%s', async (_what, text, expected) => {
    const outcome = await check(text)
    expect(lines(outcome.diagnostics)).toEqual([expected])
    expect(outcome.value).toBeUndefined()
    expect(outcome.diagnostics[0]).toMatchObject({ entry: 'user:/f#/servers/fs' })
  })

  it('is told about a misspelt required field where it stands', async () => {
    const outcome = await check('comand: npx')
    expect(lines(outcome.diagnostics)).toEqual([
      '3:5 error schema.required | The entry lacks the field `command`. | Did you mean `command` where it says `comand`?',
      '3:5 warning schema.unknown-key | `comand` is not known here, so nothing reads it. | Did you mean `command`?',
    ])
  })

  it('is not told that a field it may have is a misspelling of one it lacks', () => {
    const schema = { type: 'object', required: ['names'], properties: { name: {}, names: {} } }
    const outcome = checkSchema(ajv.compile(schema), located({ name: 1 }))
    expect(outcome.diagnostics[0]?.hint).toBe('Add `names`.')
  })

  it('has the pointer of what is wrong inside its file', async () => {
    const outcome = await check('command: a\nlimits: {calls: 1, a/b: 2}')
    expect(outcome.diagnostics[0]?.pointer).toBe('/servers/fs/limits/a~1b')
  })

  it('lists what would have been accepted', async () => {
    expect((await check('command: a\ntransport: x')).diagnostics[0]?.expected).toEqual(['stdio', 'http', 'sse'])
    expect((await check('command: 1')).diagnostics[0]?.expected).toEqual(['string'])
  })
})

describe('unknown keys', () => {
  it('are warnings at the key, and the entry stays', async () => {
    const outcome = await check('command: a\ntransprot: stdio\nlimits: {calls: 1, colls: 2}')
    expect(outcome.value).toMatchObject({ command: 'a' })
    expect(lines(outcome.diagnostics).sort()).toEqual([
      '4:5 warning schema.unknown-key | `transprot` is not known here, so nothing reads it. | Did you mean `transport`?',
      '5:24 warning schema.unknown-key | `colls` is not known here, so nothing reads it. | Did you mean `calls`?',
    ])
  })

  it('are compared with more names than the schema lists, if the caller knows some', async () => {
    const validate = ajv.compile({ type: 'object', additionalProperties: false, properties: { run: {} } })
    expect((await check('comand: x', validate)).diagnostics[0]?.hint).toBe('Did you mean `command`?')
    expect((await check('unrelated: x', validate)).diagnostics[0]?.hint).toBe('Remove it, or check its spelling.')
  })

  it('are not compared with anything when the validator does not bring its schema', () => {
    const quiet = new Ajv2020({ allErrors: true, strict: false })
    const validate = quiet.compile({ type: 'object', additionalProperties: false, properties: { run: {} } })
    expect(checkSchema(validate, located({ rum: 1 })).diagnostics[0]?.hint).toBe('Remove it, or check its spelling.')
  })

  it('of each alternative are warnings too', async () => {
    const schema = { anyOf: ['a', 'b'].map((key) => ({ properties: { [key]: {} }, additionalProperties: false })) }
    const outcome = checkSchema(ajv.compile(schema), located({ a: 1, c: 2 }))
    expect(outcome.value).toEqual({ a: 1, c: 2 })
    expect(outcome.diagnostics.every((each) => each.severity === 'warning')).toBe(true)
  })
})

describe('alternatives told apart by a field', () => {
  const schema = {
    type: 'object',
    required: ['type'],
    discriminator: { propertyName: 'type' },
    oneOf: [
      { properties: { type: { const: 'command' }, run: { type: 'string' } }, required: ['run'] },
      { properties: { type: { const: 'http' }, url: { type: 'string' } }, required: ['url'] },
    ],
  }
  const validate = ajv.compile(schema)

  it('are checked against the one that is meant', async () => {
    expect(lines((await check('type: http', validate)).diagnostics)).toEqual([
      '3:5 error schema.required | The entry lacks the field `url`. | Add `url`.',
    ])
  })

  it('say which value of the field is not known', async () => {
    expect(lines((await check('type: htp', validate)).diagnostics)).toEqual([
      '3:11 error schema.value | `type` is the text "htp", which is not known. | Use one of the values of `type` that the documentation lists.',
    ])
  })

  it('say that the field is missing, once', async () => {
    const outcome = await check('url: x', validate)
    expect(new Set(lines(outcome.diagnostics))).toEqual(
      new Set(['3:5 error schema.required | The entry lacks the field `type`. | Add `type`.']),
    )
  })
})

describe('a validator that says no and nothing else', () => {
  it('still makes an error', () => {
    const outcome = checkSchema(() => false, located({}))
    expect(outcome.value).toBeUndefined()
    expect(outcome.diagnostics).toMatchObject([{ code: 'schema.value', severity: 'error' }])
  })

  it.each(['constructor', 'toString'])('is not fooled by a field called %s', (field) => {
    const validate = ajv.compile({ type: 'object', properties: { [field]: { type: 'string' } } })
    const outcome = checkSchema(validate, located(JSON.parse(`{"${field}": 5}`)))
    expect(outcome.diagnostics.map((each) => each.message)).toEqual([`\`${field}\` is the number 5, not a text.`])
  })

  it('sees __proto__ as a key that nobody knows', () => {
    const validate = ajv.compile({ type: 'object', additionalProperties: false })
    const outcome = checkSchema(validate, located(JSON.parse('{"__proto__": {}}')))
    expect(outcome.diagnostics).toMatchObject([{ code: 'schema.unknown-key', pointer: '/__proto__' }])
  })
})

function located(value: unknown) {
  const source = { layer: 'user', dialect: 'ext', name: 'test' } as const
  return { id: 'x', value, source, pointer: '', at: () => ({ layer: 'user', name: 'test' }) as const }
}
