import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV3 } from '@ai-sdk/provider'
import { onTestFinished } from 'vitest'
import type { Script } from '../../src/scripted/index.js'
import { type ScriptedEndpoint, scriptedEndpoint } from '../../src/testing/index.js'

export const KEY = 'key-of-the-test-93210'
export const WIRES = ['anthropic', 'openai'] as const
export type WireName = (typeof WIRES)[number]

/** A server that lives as long as the test, and its address. */
export async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('It has no port.')
  return `http://127.0.0.1:${address.port}/v1`
}

/** The provider of a wire, as its users make it. */
export function provided(wire: WireName, baseURL: string, modelId = 'test-model'): LanguageModelV3 {
  if (wire === 'anthropic') return createAnthropic({ baseURL, apiKey: KEY })(modelId)
  return createOpenAICompatible({ name: 'local', baseURL, apiKey: KEY, includeUsage: true })(modelId)
}

/** A server that plays a script in the format of a provider. */
export async function scriptServer(
  script: Script,
  wire: WireName,
): Promise<{ readonly model: LanguageModelV3; readonly baseURL: string } & Pick<ScriptedEndpoint, 'requests'>> {
  const endpoint = scriptedEndpoint(script, { wire })
  const baseURL = await serve((request, response) => void pass(endpoint, request, response))
  return { model: provided(wire, baseURL), baseURL, requests: endpoint.requests }
}

/** Passes one request on and its answer back, piece by piece; an answer that breaks off breaks the connection. */
async function pass(endpoint: ScriptedEndpoint, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  try {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
    const {
      status,
      headers: given,
      body,
    } = await endpoint.fetch(`http://${request.headers.host}${request.url}`, {
      method: 'POST',
      headers,
      body: Buffer.concat(parts),
      signal: gone.signal,
    })
    response.writeHead(status, Object.fromEntries(given))
    for await (const chunk of body ?? []) response.write(chunk)
    response.end()
  } catch {
    breakOff(response)
  }
}

/** A server that sends these pieces, in the format of a stream of events, and then ends or breaks the connection. */
export function streamOf(frames: readonly unknown[], end: 'end' | 'break' | 'stay' = 'end') {
  return (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const frame of frames) response.write(typeof frame === 'string' ? frame : sse(frame))
    if (end === 'end') response.end()
    if (end === 'break') breakOff(response)
  }
}

/** What was written goes out first. */
function breakOff(response: ServerResponse): void {
  setTimeout(() => response.destroy(), 30)
}

export function sse(frame: unknown): string {
  const type = (frame as { readonly type?: unknown }).type
  return `${typeof type === 'string' ? `event: ${type}\n` : ''}data: ${JSON.stringify(frame)}\n\n`
}

/** The whole answer to a status, whatever is asked. */
export function answerOf(status: number, body: string | object, headers: Readonly<Record<string, string>> = {}) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    request.resume()
    const type = typeof body === 'string' ? 'text/html; charset=utf-8' : 'application/json'
    response.writeHead(status, { 'content-type': type, ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}
