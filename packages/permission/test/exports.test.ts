import { expect, test } from 'vitest'
import * as root from '../src/index.js'
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
      "anchorFolder",
      "compileRule",
      "matchCall",
      "parseRule",
    ]
  `)
})
