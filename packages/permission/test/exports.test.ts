import { expect, test } from 'vitest'
import * as conformance from '../src/conformance/index.js'
import * as importing from '../src/import/index.js'
import * as root from '../src/index.js'
import * as lint from '../src/lint/index.js'
import * as rule from '../src/rule/index.js'

test('the public names of the package', () => {
  expect(Object.keys(root).sort()).toMatchInlineSnapshot(`
    [
      "createPermission",
      "diagnosticCodes",
    ]
  `)
  expect(Object.keys(rule).sort()).toMatchInlineSnapshot(`
    [
      "allowsReading",
      "anchorFolder",
      "compileRule",
      "compileRules",
      "matchCall",
      "matchReading",
      "parseRule",
      "readCall",
    ]
  `)
})

test('the public names of the entries that check, import and score rules', () => {
  expect(Object.keys(lint).sort()).toEqual(['lintPermissions', 'testRules'])
  expect(Object.keys(importing)).toEqual(['importPermissions'])
  expect(Object.keys(conformance).sort()).toEqual(['KNOWN_TOOLS', 'readCorpus', 'runConformance', 'wellKnownTool'])
})
