import { expect, it } from 'vitest'
import * as agents from '../src/agents/index.js'
import * as root from '../src/index.js'
import * as node from '../src/node/index.js'
import * as replay from '../src/replay/index.js'
import * as scripted from '../src/scripted/index.js'
import * as tools from '../src/tools/index.js'

it('exports these names', () => {
  const names = (module: object) => Object.keys(module).sort()
  expect({
    root: names(root),
    agents: names(agents),
    node: names(node),
    replay: names(replay),
    scripted: names(scripted),
    tools: names(tools),
  }).toMatchInlineSnapshot(`
    {
      "agents": [
        "loadAgents",
      ],
      "node": [
        "nodeAuditLog",
      ],
      "replay": [
        "loadRecording",
        "recordedModel",
        "replayedModel",
      ],
      "root": [
        "ModelError",
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
