import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Script } from '@ext/agent-core/scripted'
import { type ScriptedEndpoint, scriptedEndpoint } from '@ext/agent-core/testing'
import { onTestFinished } from 'vitest'

/** A server that lives as long as the test, and its address with the version of its API. */
export async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address?.port}/v1`
}

/** A provider of models that plays a script, on a port of its own. */
export async function modelServer(
  wire: 'anthropic' | 'openai',
  script: Script = { turns: [{ say: 'Hello from the endpoint.', loop: true }] },
): Promise<{ readonly url: string } & Pick<ScriptedEndpoint, 'requests'>> {
  const endpoint = scriptedEndpoint(script, { wire })
  const url = await serve((request, response) => void pass(endpoint, request, response))
  return { url, requests: endpoint.requests }
}

async function pass(endpoint: ScriptedEndpoint, request: IncomingMessage, response: ServerResponse): Promise<void> {
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
  })
  response.writeHead(status, Object.fromEntries(given))
  for await (const chunk of body ?? []) response.write(chunk)
  response.end()
}
