import { expect, it } from 'vitest'
import * as root from '../src/index.js'
import * as scripted from '../src/scripted/index.js'
import * as tools from '../src/tools/index.js'

it('exports these names', () => {
  const names = (module: object) => Object.keys(module).sort()
  expect({ root: names(root), scripted: names(scripted), tools: names(tools) }).toMatchInlineSnapshot(`
    {
      "root": [
        "createAgent",
        "defineTool",
        "diagnosticCodes",
      ],
      "scripted": [
        "loadScript",
        "scriptedModel",
      ],
      "tools": [
        "shellTool",
      ],
    }
  `)
})
