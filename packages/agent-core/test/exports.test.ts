import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import * as agents from '../src/agents/index.js'
import * as aiSdk from '../src/ai-sdk/index.js'
import * as root from '../src/index.js'
import * as instructions from '../src/instructions/index.js'
import * as node from '../src/node/index.js'
import * as replay from '../src/replay/index.js'
import * as scripted from '../src/scripted/index.js'
import * as testing from '../src/testing/index.js'
import * as tools from '../src/tools/index.js'

it('exports these names', () => {
  const names = (module: object) => Object.keys(module).sort()
  expect({
    root: names(root),
    agents: names(agents),
    aiSdk: names(aiSdk),
    instructions: names(instructions),
    node: names(node),
    replay: names(replay),
    scripted: names(scripted),
    testing: names(testing),
    tools: names(tools),
  }).toMatchInlineSnapshot(`
    {
      "agents": [
        "loadAgents",
      ],
      "aiSdk": [
        "aiSdkModel",
      ],
      "instructions": [
        "instructionFiles",
      ],
      "node": [
        "fileSessionStore",
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
      "testing": [
        "scriptedEndpoint",
      ],
      "tools": [
        "fileTools",
        "shellTool",
        "webFetchTool",
      ],
    }
  `)
})

it('needs nothing of the AI SDK where nobody asks for it', async () => {
  const dist = new URL('../dist/', import.meta.url)
  const files = (await readdir(dist, { recursive: true })).filter((file) => /\.(?:js|d\.ts)$/.test(file))
  const mentions = await Promise.all(
    files.map(async (file) => ((await readFile(new URL(file, dist), 'utf8')).includes("'@ai-sdk/") ? [file] : [])),
  )
  expect(files.length).toBeGreaterThan(20)
  // Types alone, and only behind the entry that has them in its name.
  expect(mentions.flat().every((file) => /^ai-sdk\/.*\.d\.ts$/.test(file))).toBe(true)
})
