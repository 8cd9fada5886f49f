import { expect, it } from 'vitest'
import * as skills from '../src/index.js'
import * as types from '../src/types.js'

it('exports these names and no others', () => {
  expect(Object.keys(skills)).toMatchInlineSnapshot(`
    [
      "renderCatalog",
      "diagnosticCodes",
      "skillCommand",
      "loadSkills",
    ]
  `)
  expect(Object.keys(types)).toEqual([])
})
