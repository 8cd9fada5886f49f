import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSchemaValidator } from '../../src/ajv/index.js'
import { type Diagnostic, diagnosticCodes } from '../../src/index.js'
import { toSarif } from '../../src/sarif/index.js'
import { memoryFiles } from '../../src/testing/index.js'
import { file, value } from '../pipeline/toys.js'
import { toyPipeline } from '../toy-axis.js'

const tool = { name: 'ext', version: '1.2.3' }

/** What SARIF 2.1.0 demands of the parts that are written here. */
const text = {
  type: 'object',
  required: ['text'],
  properties: { text: { type: 'string' } },
  additionalProperties: false,
}
const positive = { type: 'integer', minimum: 1 }
const location = {
  type: 'object',
  additionalProperties: false,
  properties: {
    message: text,
    logicalLocations: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' } },
        additionalProperties: false,
      },
    },
    physicalLocation: {
      type: 'object',
      required: ['artifactLocation'],
      additionalProperties: false,
      properties: {
        artifactLocation: {
          type: 'object',
          required: ['uri'],
          additionalProperties: false,
          // A reference to a URI: nothing that would have to be escaped, and no folder that looks like a scheme.
          properties: { uri: { type: 'string', pattern: "^[\\w:/.~%!*'()-]*$" }, uriBaseId: { type: 'string' } },
        },
        region: {
          type: 'object',
          required: ['startLine'],
          additionalProperties: false,
          properties: { startLine: positive, startColumn: positive, endLine: positive, endColumn: positive },
        },
      },
    },
  },
}
const LOG = {
  type: 'object',
  required: ['version', 'runs'],
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    version: { const: '2.1.0' },
    runs: {
      type: 'array',
      items: {
        type: 'object',
        required: ['tool', 'results'],
        additionalProperties: false,
        properties: {
          tool: {
            type: 'object',
            required: ['driver'],
            additionalProperties: false,
            properties: {
              driver: {
                type: 'object',
                required: ['name'],
                additionalProperties: false,
                properties: {
                  name: { type: 'string' },
                  version: { type: 'string' },
                  informationUri: { type: 'string' },
                  rules: {
                    type: 'array',
                    uniqueItems: true,
                    items: {
                      type: 'object',
                      required: ['id'],
                      additionalProperties: false,
                      properties: { id: { type: 'string' }, shortDescription: text, helpUri: { type: 'string' } },
                    },
                  },
                },
              },
            },
          },
          columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
          originalUriBaseIds: {
            type: 'object',
            additionalProperties: {
              type: 'object',
              required: ['uri'],
              // An absolute URI of a folder.
              properties: { uri: { type: 'string', pattern: '^file:///(.*/)?$' } },
            },
          },
          results: {
            type: 'array',
            items: {
              type: 'object',
              required: ['message'],
              additionalProperties: false,
              properties: {
                ruleId: { type: 'string' },
                ruleIndex: { type: 'integer', minimum: 0 },
                level: { enum: ['none', 'note', 'warning', 'error'] },
                message: text,
                locations: { type: 'array', items: location },
                relatedLocations: { type: 'array', items: location },
                properties: { type: 'object' },
              },
            },
          },
        },
      },
    },
  },
}

const validator = await createSchemaValidator()

function problemsOf(log: unknown) {
  const compiled = validator.compile(LOG)
  if (typeof compiled !== 'function') throw new Error(compiled.problem)
  return compiled(JSON.parse(JSON.stringify(log)))
}

describe('toSarif', () => {
  it('gives each diagnostic of a load as a result, with its rule, its place and its fix', async () => {
    const files = memoryFiles({ '/pro ject/.ext/ä.yaml': 'toys:\n  ball: {size: big}\n  cube: {size: 2}\n' })
    const sources = [value('user', { cube: { size: 1 } }), file('project', '/pro ject/.ext/ä.yaml')]
    const { diagnostics } = await toyPipeline().load(sources, undefined, { files })
    const codes = { ...diagnosticCodes, 'toys.size': 'The size of a toy is not a number.' }
    const log = toSarif(diagnostics, { tool, codes, root: '/pro ject' })
    expect(problemsOf(log)).toEqual([])
    expect(log.runs[0].tool.driver.rules).toEqual([
      { id: 'toys.size', shortDescription: { text: 'The size of a toy is not a number.' } },
      { id: 'config.entry.shadowed', shortDescription: { text: diagnosticCodes['config.entry.shadowed'] } },
    ])
    expect(log.runs[0].originalUriBaseIds).toEqual({ ROOT: { uri: 'file:///pro%20ject/' } })
    expect(log.runs[0].results).toMatchObject([
      {
        ruleId: 'toys.size',
        ruleIndex: 0,
        level: 'error',
        message: { text: 'The toy has no size.' },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: '.ext/%C3%A4.yaml', uriBaseId: 'ROOT' },
              region: { startLine: 2, startColumn: 16, endLine: 2, endColumn: 19 },
            },
          },
        ],
        properties: { layer: 'project', entry: 'project:/pro ject/.ext/ä.yaml#/toys/ball' },
      },
      {
        ruleId: 'config.entry.shadowed',
        level: 'note',
        locations: [{ logicalLocations: [{ name: 'user' }] }],
        relatedLocations: [{ message: { text: 'this one takes effect' }, physicalLocation: {} }],
      },
    ])
  })

  it('puts the fix behind the message, since viewers show nothing else', () => {
    const found: Diagnostic = {
      code: 'x',
      severity: 'warning',
      message: 'It is wrong.',
      hint: 'Repair it.',
      source: { layer: 'user', file: 'C:\\Users\\me\\a b.yaml' },
      url: 'https://ext.dev/x',
    }
    const { results, tool: described } = toSarif([found], { tool, codes: {} }).runs[0]
    expect(results[0]).toMatchObject({ level: 'warning', message: { text: 'It is wrong. Repair it.' } })
    expect(results[0]?.locations).toEqual([
      { physicalLocation: { artifactLocation: { uri: 'file:///C:/Users/me/a%20b.yaml' } } },
    ])
    expect(described.driver.rules).toEqual([{ id: 'x', helpUri: 'https://ext.dev/x' }])
  })

  it('is valid whatever the diagnostics hold', () => {
    const source = fc.record(
      {
        layer: fc.constant('user' as const),
        file: fc.oneof(
          fc.string().map((path) => `/root/${path}`),
          fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => `/${String.fromCharCode(...units)}`),
        ),
        name: fc.string(),
        line: fc.integer({ min: 1, max: 9 }),
        column: fc.integer({ min: 1, max: 9 }),
        endLine: fc.integer({ min: 1, max: 9 }),
        endColumn: fc.integer({ min: 1, max: 9 }),
      },
      { requiredKeys: ['layer'] },
    )
    const diagnostic = fc.record(
      {
        code: fc.oneof(fc.constantFrom('a', 'b', '__proto__', 'constructor'), fc.string()),
        severity: fc.constantFrom('error' as const, 'warning' as const, 'info' as const),
        message: fc.string({ unit: 'binary' }),
        hint: fc.string(),
        source,
        entry: fc.string(),
        pointer: fc.string(),
        expected: fc.array(fc.string()),
        related: fc.array(fc.record({ message: fc.string(), source })),
      },
      { requiredKeys: ['code', 'severity', 'message', 'source'] },
    )
    const options = fc.record({ root: fc.constantFrom('/root', '/root/', '/') }, { requiredKeys: [] })
    fc.assert(
      fc.property(fc.array(diagnostic), options, (all, more) => {
        const log = toSarif(all, { tool, codes: { a: 'A.' }, ...more })
        expect(problemsOf(log)).toEqual([])
        const [{ results, tool: described }] = log.runs
        expect(results.map(({ ruleIndex }) => described.driver.rules[ruleIndex]?.id)).toEqual(
          all.map(({ code }) => code),
        )
      }),
    )
  })
})
