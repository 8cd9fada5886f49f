import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from '@ext/kernel/contract'
import { nodePorts } from '@ext/kernel/node'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createMcpClient, type McpClient } from '../src/index.js'
import type { FormRequest, PageRequest, SamplingRequest } from '../src/types.js'
import { everything, inMemory, PATIENCE, textOf } from './helpers.js'

const patience = { timeout: PATIENCE }
const PROGRAM = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'))

/** What is called of each tool, and a part of what comes back. */
const CALLS: Readonly<Record<string, readonly [input: JsonObject, part: string]>> = {
  echo: [{ message: 'hi' }, 'Echo: hi'],
  'get-annotated-message': [{ messageType: 'error', includeImage: true }, '<image>'],
  'get-env': [{}, 'DECLARED'],
  'get-resource-links': [{ count: 2 }, '<resource_link>'],
  'get-resource-reference': [{ resourceType: 'Text', resourceId: 1 }, '<resource>'],
  'get-roots-list': [{}, 'URI: file:///work/project'],
  'get-structured-content': [{ location: 'New York' }, '"temperature":33'],
  'get-sum': [{ a: 1, b: 2 }, 'The sum of 1 and 2 is 3.'],
  'get-tiny-image': [{}, '<image>'],
  'gzip-file-as-resource': [{ name: 'a.gz', data: 'data:text/plain,hello', outputType: 'resource' }, '<resource>'],
  // It wants a task, which revisions before 2025-11-25 do not have and this client does not start.
  'simulate-research-query': [{ topic: 'cheese' }, 'requires task augmentation'],
  'toggle-simulated-logging': [{}, 'Started simulated'],
  'toggle-subscriber-updates': [{}, 'Started simulated resource updated notifications'],
  'trigger-elicitation-request': [{}, '"integer": 42'],
  'trigger-long-running-operation': [{ duration: 0.2, steps: 2 }, 'Steps: 2'],
  'trigger-sampling-request': [{ prompt: 'cheese', maxTokens: 20 }, 'a thought'],
  'trigger-url-elicitation': [{ url: 'https://pages.example/a' }, 'User completed the URL elicitation flow'],
}

function whole(over: string, entry: () => Promise<{ readonly entry: object; stop(): void }>): void {
  describe(`everything of a real server, over ${over}`, () => {
    const forms: FormRequest[] = []
    const pages: PageRequest[] = []
    const sampled: SamplingRequest[] = []
    const logged: string[] = []
    let client: McpClient
    let stop = () => {}

    beforeAll(async () => {
      const started = await entry()
      stop = started.stop
      client = await createMcpClient({
        layers: [inMemory({ e: started.entry })],
        cwd: process.cwd(),
        clientInfo: { name: 'test', version: '1.0.0' },
        ports: nodePorts(),
        roots: () => ['/work/project'],
        logLevel: 'debug',
        onLog: (_server, line, level) => {
          if (level) logged.push(`${level} ${line}`)
        },
        sampling: {
          async create(request) {
            sampled.push(request)
            return { content: [{ type: 'text', text: 'a thought' }], model: 'thinker' }
          },
        },
        elicitation: {
          async form(request) {
            forms.push(request)
            return { action: 'accept', content: { name: 'Ada' } }
          },
          async url(request) {
            pages.push(request)
            return { action: 'accept' }
          },
        },
      })
      // Over HTTP it may not listen yet; and it gets the tools for what this client can do a moment after the handshake.
      const count = Object.keys(CALLS).length + 2
      await vi.waitUntil(() => client.tools().length === count, patience)
    }, 60_000)
    afterAll(async () => {
      await client.close()
      stop()
    })

    test.each(Object.entries(CALLS))('the tool %s', async (tool, [input, part]) => {
      expect(textOf(await client.call(`mcp__e__${tool}`, input))).toContain(part)
    })

    test('a form was shown with all its fields, and its defaults were sent', () => {
      expect(forms).toHaveLength(1)
      expect(new Set(forms[0]?.fields.map(({ kind }) => kind))).toEqual(
        new Set(['text', 'boolean', 'integer', 'number', 'choice', 'choices']),
      )
      expect(forms[0]?.check({ name: 'Ada', email: 'nowhere' })).toMatchObject([{ field: 'email' }])
    })

    test('a page is shown by its host; one that comes as an error is shown first, and then the call is sent again', async () => {
      expect(pages).toMatchObject([{ host: 'pages.example', required: false }])
      const input = { url: 'https://pages.example/b', errorPath: true }
      expect(textOf(await client.call('mcp__e__trigger-url-elicitation', input))).toContain('User completed')
      expect(pages.slice(1).map(({ host, required }) => [host, required])).toEqual([
        ['modelcontextprotocol.io', true],
        ['pages.example', false],
      ])
    })

    test('a model was asked for it', () => {
      expect(sampled).toMatchObject([
        { maxTokens: 20, systemPrompt: 'You are a helpful test server.', messages: [{ role: 'user' }] },
      ])
    })

    test('progress is heard', async () => {
      const steps: number[] = []
      const onProgress = ({ progress }: { readonly progress: number }) => steps.push(progress)
      await client.call('mcp__e__trigger-long-running-operation', { duration: 0.3, steps: 3 }, { onProgress })
      expect(steps).toEqual([1, 2, 3])
    })

    test('resources are listed, read as text and data, and filled in from templates', async () => {
      const { items, problems } = await client.resources.list()
      expect(problems).toEqual([])
      expect(items.length).toBeGreaterThanOrEqual(7)
      const document = await client.resources.read('e', items.find(({ name }) => name === 'features.md')?.uri ?? '')
      expect(document.content).toMatchObject([{ type: 'resource', resource: { mimeType: 'text/markdown' } }])
      const { items: templates } = await client.resources.templates()
      expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual([
        'demo://resource/dynamic/text/{resourceId}',
        'demo://resource/dynamic/blob/{resourceId}',
      ])
      const blob = await client.resources.read('e', 'demo://resource/dynamic/blob/7')
      expect(blob.content).toMatchObject([{ resource: { blob: expect.stringMatching(/^[A-Za-z0-9+/=]+$/) } }])
      const listed = await client.call('list_mcp_resources', {})
      expect(JSON.parse(textOf(listed)).templates).toHaveLength(2)
      const read = await client.call('read_mcp_resource', { server: 'e', uri: 'demo://resource/dynamic/text/3' })
      expect(JSON.stringify(read.content)).toContain('Resource 3: This is a plaintext resource')
      expect(await client.resources.read('e', 'demo://resource/none')).toMatchObject({ isError: true })
    })

    test('a resource that is subscribed to tells of its changes', async () => {
      const heard: string[] = []
      const uri = 'demo://resource/dynamic/text/1'
      const subscription = await client.resources.subscribe('e', uri, (changed) => heard.push(changed))
      // It tells when it is switched on; the tests before have done that once.
      await client.call('mcp__e__toggle-subscriber-updates', {})
      await client.call('mcp__e__toggle-subscriber-updates', {})
      await expect.poll(() => heard, patience).toContain(uri)
      if (!subscription.failed) subscription.end()
    })

    test('prompts are listed and filled in, with texts and resources', async () => {
      const { items } = await client.prompts.list({ server: 'e' })
      expect(items.map(({ fullName }) => fullName)).toEqual([
        'mcp__e__simple-prompt',
        'mcp__e__args-prompt',
        'mcp__e__completable-prompt',
        'mcp__e__resource-prompt',
      ])
      const filled = await client.prompts.get('e', 'args-prompt', { city: 'Paris', state: 'Texas' })
      expect(filled).toMatchObject({ messages: [{ content: [{ text: "What's weather in Paris, Texas?" }] }] })
      const resource = await client.prompts.get('e', 'resource-prompt', { resourceType: 'Text', resourceId: '2' })
      expect(resource).toMatchObject({ messages: [{}, { content: [{ type: 'resource' }] }] })
      expect(await client.prompts.get('e', 'simple-prompt')).toMatchObject({ messages: [{ role: 'user' }] })
      expect((await client.prompts.get('e', 'args-prompt')).failed).toBeDefined()
    })

    test('arguments are completed, of prompts and of templates', async () => {
      const complete = async (name: string, value: string, filled?: Readonly<Record<string, string>>) => {
        const options = filled ? { filled } : {}
        return (await client.prompts.complete('e', 'completable-prompt', { name, value }, options)).values
      }
      expect(await complete('department', 'S')).toEqual(['Sales', 'Support'])
      expect(await complete('name', '', { department: 'Sales' })).toEqual(['David', 'Eve', 'Frank'])
      const argument = { name: 'resourceId', value: '4' }
      const ofTemplate = await client.resources.complete('e', 'demo://resource/dynamic/text/{resourceId}', argument)
      expect(ofTemplate.values).toEqual(['4'])
    })

    test('what it logs is heard with its level', async () => {
      await expect.poll(() => logged.some((line) => line.includes('Roots updated: 1 root')), patience).toBe(true)
      await expect.poll(() => logged.some((line) => /^\w+ \w+[- ]level.message/.test(line)), patience).toBe(true)
    })

    test('nothing of it is a problem', () => {
      expect(client.diagnostics).toEqual([])
    })
  })
}

whole('stdio', async () => ({ entry: { ...everything(), env: { DECLARED: 'yes' } }, stop: () => {} }))

whole('Streamable HTTP', async () => {
  const port = await freePort()
  const env = { PORT: String(port), DECLARED: 'yes' }
  const server = spawn(process.execPath, [PROGRAM, 'streamableHttp'], { env, stdio: 'ignore' })
  const entry = {
    url: `http://127.0.0.1:${port}/mcp`,
    reconnect: { attempts: 20, backoff: { min: '200ms', max: '1s' } },
  }
  return { entry, stop: () => server.kill('SIGKILL') }
})

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
