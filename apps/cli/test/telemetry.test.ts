import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { hostileServer } from '@ext/mcp-client/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ext, temporaryFolder } from './bin.js'

const SCRIPT = 'turns:\n  - calls: [{tool: Bash, input: {command: echo hello}}]\n  - say: Done.\n'
const HOOK = 'hooks:\n  - {name: look, event: PreToolUse, action: {type: command, command: exit 0}}\n'

async function ran(env: Readonly<Record<string, string>>, config = HOOK) {
  const home = await temporaryFolder()
  await writeFile(join(home, 'script.yaml'), SCRIPT)
  await writeFile(join(home, 'config.yaml'), config)
  const args = ['run', 'go', '--model', 'scripted:script.yaml', '--allow', 'Bash(echo *)', '--output', 'json']
  const result = await ext(args, { home, env: { EXT_HOME: home, ...env } })
  const lines = async (name: string) =>
    (await readFile(join(home, name), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  return { ...result, lines }
}

interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
}

interface Received {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly { key: string; value: { stringValue?: string } }[] }
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[]
  }[]
  readonly resourceMetrics?: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly { name: string }[] }[]
  }[]
}

/** A collector that keeps what it is sent. */
async function collector() {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      received.push(JSON.parse(body))
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

describe('ext run', () => {
  it('sends spans and metrics where OTEL_EXPORTER_OTLP_ENDPOINT says, with one trace for the run and its records', async () => {
    const { received, url } = await collector()
    const { code, stderr, lines } = await ran({
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_SERVICE_NAME: 'mine',
      OTEL_RESOURCE_ATTRIBUTES: 'team=red',
    })
    expect([code, stderr]).toEqual([0, ''])
    const resources = received.flatMap(({ resourceSpans = [] }) => resourceSpans)
    expect(resources[0]?.resource.attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'mine' } })
    expect(resources[0]?.resource.attributes).toContainEqual({ key: 'team', value: { stringValue: 'red' } })
    const spans = resources.flatMap(({ scopeSpans }) => scopeSpans).flatMap((scope) => scope.spans)
    const names = new Set(spans.map(({ name }) => name))
    for (const name of [
      'invoke_agent',
      'execute_tool Bash',
      'ext.permission.decide',
      'ext.hook.dispatch',
      'ext.hook.run',
    ]) {
      expect(names).toContain(name)
    }
    const trace = spans.find(({ name }) => name === 'invoke_agent')?.traceId
    expect(await lines('audit.jsonl')).toMatchObject([{ tool: 'Bash', trace_id: trace }])
    expect(await lines('hooks.jsonl')).toMatchObject([{ hook: 'look', traceId: trace }])
    const metrics = received
      .flatMap(({ resourceMetrics = [] }) => resourceMetrics)
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap((scope) => scope.metrics.map(({ name }) => name))
    expect(metrics).toContain('gen_ai.client.operation.duration')
  }, 60_000)

  it('is one trace, from its servers to its hooks, and stands in that of a program that says where', async () => {
    const { received, url } = await collector()
    const server = `mcpServers:\n  s: ${JSON.stringify(hostileServer('echo'))}\n`
    const trace = 'a'.repeat(32)
    await ran({ OTEL_EXPORTER_OTLP_ENDPOINT: url, TRACEPARENT: `00-${trace}-${'b'.repeat(16)}-01` }, server + HOOK)
    const spans = received
      .flatMap(({ resourceSpans = [] }) => resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap((scope) => scope.spans)
    expect([...new Set(spans.map(({ traceId }) => traceId))]).toEqual([trace])
    const command = spans.find(({ name }) => name === 'ext run')
    expect(command?.parentSpanId).toBe('b'.repeat(16))
    const below = spans.filter(({ parentSpanId }) => parentSpanId === command?.spanId).map(({ name }) => name)
    expect(new Set(below)).toEqual(new Set(['ext.mcp.connect', 'invoke_agent']))
  }, 60_000)

  it.each(['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'])(
    'says that nobody took what %s names, and ends as it would have',
    async (name) => {
      const { code, stderr, stdout } = await ran({ [name]: 'http://127.0.0.1:9' })
      expect([code, JSON.parse(stdout).reason]).toEqual([0, 'done'])
      expect(stderr).toMatch(/^ext: Spans and metrics could not all be sent: .*ECONNREFUSED.*\n$/)
    },
    60_000,
  )

  it('sends nothing where the variables switch it off', async () => {
    const { received, url } = await collector()
    await ran({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SDK_DISABLED: 'true' })
    await ran({
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_TRACES_EXPORTER: 'none',
      OTEL_METRICS_EXPORTER: 'none',
    })
    expect(received).toEqual([])
  }, 60_000)
})
