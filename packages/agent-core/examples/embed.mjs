// An agent with one function tool and one interceptor, and nothing else: `node examples/embed.mjs` after a build.
import { createAgent, defineTool } from '@ext/agent-core'
import { scriptedModel } from '@ext/agent-core/scripted'
import { nodeClock } from '@ext/kernel/node'

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather of a city.',
  kind: 'read',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  run: async ({ city }) => `It rains in ${city}.`,
})

const nothing = { runs: [], context: [], notices: [] }
const guard = {
  session: () => ({
    fire: (event, payload) => {
      if (event !== 'PreToolUse' || payload().tool_input.city !== 'Atlantis') return undefined
      return Promise.resolve({ ...nothing, block: { by: 'guard', reason: 'There is no such city.' } })
    },
  }),
}

const model = scriptedModel({
  turns: [
    ...['Bergen', 'Atlantis'].map((city) => ({ calls: [{ tool: 'weather', input: { city } }] })),
    { when: { tool: 'weather', contains: 'no such city' }, say: 'Take an umbrella to Bergen. Atlantis is not there.' },
  ],
})

const print = (text) => process.stdout.write(`${text}\n`)
const agent = await createAgent({ model, tools: [weather], interceptor: guard, ports: { clock: nodeClock() } })
const run = agent.session({ cwd: process.cwd() }).run('What is the weather in Bergen and Atlantis?')
for await (const { type, content } of run) if (type === 'tool_result') print(content[0].text)
print((await run.result).text)
await agent.close()
