import { resolve } from 'node:path'
import { isMap, suggest } from '@ext/kernel'
import type { ContentBlock, JsonObject, Tool } from '@ext/kernel/contract'
import { nodeFiles } from '@ext/kernel/node'
import type { Io } from '../../io.js'
import { oneLine, printable } from '../../render/words.js'
import { type RunningServers, rowsOf, type ServerOptions, withServers } from './open.js'
import { describeRow } from './test.js'

export interface CallOptions extends ServerOptions {
  readonly input?: string
  readonly inputFile?: string
  readonly json?: boolean
}

const MAX_INPUT_BYTES = 64 * 1024 * 1024

/** Calls one tool. It is the person who calls, so nobody is asked and no hook hears of it. */
export async function call(server: string, tool: string, options: CallOptions, io: Io): Promise<number> {
  const input = await readInput(options)
  if (typeof input === 'string') {
    io.err(printable(`ext: ${input}`))
    return 2
  }
  return withServers(options, [server], io, async (servers) => {
    const found = find(tool, server, servers)
    if (!found) {
      for (const row of rowsOf(servers, [server]).filter(({ state }) => state !== 'ready')) {
        for (const line of describeRow(row)) io.err(printable(line))
        return 1
      }
      io.err(printable(`ext: ${missing(tool, server, servers)}`))
      return 2
    }
    const onProgress = (progress: {
      readonly progress: number
      readonly total?: number
      readonly message?: string
    }) => {
      const of = progress.total === undefined ? '' : ` of ${progress.total}`
      io.err(printable(`ext: ${progress.progress}${of}${progress.message ? `: ${oneLine(progress.message)}` : ''}`))
    }
    const result = await servers.client.call(found.name, input, { signal: io.signal, onProgress })
    if (options.json) io.out(JSON.stringify(result, null, 2))
    else for (const block of result.content) io.out(printable(describeBlock(block)))
    return result.isError ? 1 : 0
  })
}

function find(name: string, server: string, { client }: RunningServers): Tool | undefined {
  return client
    .tools()
    .find((tool) => tool.source.server === server && (tool.source.tool === name || tool.name === name))
}

function missing(name: string, server: string, { client }: RunningServers): string {
  const hidden = client.hidden().find((each) => each.server === server && each.tool === name)
  if (hidden) return `The tool \`${name}\` of \`${server}\` is not offered: ${hidden.why}.`
  if (client.held().some((each) => each.server === server && (each.tool === name || each.name === name))) {
    return `The tool \`${name}\` of \`${server}\` is held back. See ext mcp tools ${server} --held.`
  }
  const names = client.tools().flatMap(({ source }) => (source.server === server ? [source.tool] : []))
  const meant = suggest(name, names)
  const rest = meant ? `Did you mean \`${meant}\`?` : `Run ext mcp tools ${server} to see them.`
  return `\`${server}\` has no tool \`${name}\`. ${rest}`
}

async function readInput({ input, inputFile }: CallOptions): Promise<JsonObject | string> {
  if (inputFile === undefined) return input === undefined ? {} : parse(input, '--input')
  const read = await nodeFiles().readText(resolve(inputFile), { maxBytes: MAX_INPUT_BYTES })
  if (read.failure) return `The input ${inputFile} can't be read: ${read.message}`
  return parse(read.text, inputFile)
}

function parse(text: string, from: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text)
    // Parsed from JSON, so it can hold nothing else.
    if (isMap(value)) return value as JsonObject
    return `${from} holds no object, but ${oneLine(text, 60)}. Write for example '{"path":"notes.txt"}'.`
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return `${from} is not valid JSON: ${why}. Write for example '{"path":"notes.txt"}'.`
  }
}

export function describeBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${Math.floor((block.data.length * 3) / 4)} bytes; --json has it]`
    case 'resource_link':
      return `[${block.name}: ${block.uri}]`
    default:
      return 'text' in block.resource && block.resource.text !== undefined
        ? block.resource.text
        : `[resource ${block.resource.uri}; --json has it]`
  }
}
