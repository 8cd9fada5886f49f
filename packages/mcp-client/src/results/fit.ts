import { messageOf } from '@ext/kernel'
import type { ContentBlock, JsonValue, ToolResult } from '@ext/kernel/contract'
import type { SpilledItem, SpillPort } from '../types.js'
import { decodeBase64, sizeOf, splitAt } from './sizes.js'

/** How much of a text that is too large is shown: its beginning, and its end, where errors stand. */
const HEAD_BYTES = 16 * 1024
const TAIL_BYTES = 4 * 1024
/** Of what is too large so many parts have a file and a preview of their own; the rest shares a file. */
const MAX_PREVIEWS = 8
/** More blocks than this no model needs. */
const MAX_BLOCKS = 1000

export interface FitOptions {
  readonly server: string
  readonly tool: string
  /** For all of a result together. */
  readonly maxBytes: number
  readonly spill?: SpillPort
}

/**
 * A result that a conversation can hold. What is too large goes to where it can be read in full, and a preview that says
 * so stays in its place. Never rejects.
 */
export function fit(result: ToolResult, options: FitOptions): ToolResult | Promise<ToolResult> {
  return isSmall(result, options.maxBytes) ? result : fitLarge(result, options)
}

function isSmall({ content, structured }: ToolResult, maxBytes: number): boolean {
  if (content.length > MAX_BLOCKS) return false
  let room = maxBytes
  for (const block of content) room -= blockBytes(block)
  if (room < 0) return false
  return structured === undefined || sizeOf(JSON.stringify(structured)) <= maxBytes
}

/** What blocks take of a conversation. */
export function bytesOf(content: readonly ContentBlock[]): number {
  return content.reduce((sum, block) => sum + blockBytes(block), 0)
}

/** What a block is there for, and what else the server has put into it. */
function partsOf(block: ContentBlock): { readonly payload: number; readonly aside: number } {
  switch (block.type) {
    case 'text': {
      const { type: _, text, ...rest } = block
      return { payload: sizeOf(text), aside: asJson(rest) }
    }
    case 'image':
    case 'audio': {
      const { type: _, data, ...rest } = block
      return { payload: data.length, aside: asJson(rest) }
    }
    case 'resource': {
      const { type: _, resource, ...rest } = block
      const { text = '', blob = '', ...about } = resource
      return { payload: sizeOf(text) + blob.length, aside: asJson(rest) + asJson(about) }
    }
    case 'resource_link':
      return { payload: 0, aside: asJson(block) }
  }
}

function blockBytes(block: ContentBlock): number {
  const { payload, aside } = partsOf(block)
  return payload + aside
}

function asJson(fields: object): number {
  return Object.keys(fields).length === 0 ? 0 : sizeOf(JSON.stringify(fields))
}

async function fitLarge(result: ToolResult, options: FitOptions): Promise<ToolResult> {
  const { content, structured, ...rest } = result
  const kept: ContentBlock[] = []
  const left: ContentBlock[] = []
  let room = options.maxBytes
  let previews = 0
  for (const block of content) {
    const { payload, aside } = partsOf(block)
    // A preview shows the payload alone, so it has to be what is too large.
    const isPayload = payload > HEAD_BYTES + TAIL_BYTES && aside <= HEAD_BYTES
    if (kept.length >= MAX_BLOCKS) left.push(block)
    else if (payload + aside <= room) {
      room -= payload + aside
      kept.push(block)
    } else if (previews < MAX_PREVIEWS && isPayload && block.type !== 'resource_link') {
      previews++
      kept.push(...(await spillBlock(block, payload, options)))
    } else left.push(block)
  }
  if (left.length > 0) kept.push(...(await spillRest(left, options)))
  const part = structured === undefined ? {} : await fitStructured(structured, content, options)
  return {
    ...rest,
    content: [...kept, ...(part.note ?? [])],
    ...(part.structured === undefined ? {} : { structured: part.structured }),
  }
}

async function spillBlock(
  block: Exclude<ContentBlock, { readonly type: 'resource_link' }>,
  bytes: number,
  options: FitOptions,
): Promise<readonly ContentBlock[]> {
  switch (block.type) {
    case 'text':
      return spillText(block.text, bytes, 'text/plain', options)
    case 'image':
    case 'audio':
      return spillBytes(block.data, block.mimeType, `This ${block.type}`, options)
    case 'resource': {
      const { text, blob, uri, mimeType } = block.resource
      if (blob !== undefined)
        return spillBytes(blob, mimeType ?? 'application/octet-stream', `The data of ${uri}`, options)
      return spillText(text ?? '', bytes, mimeType ?? 'text/plain', options)
    }
  }
}

async function spillText(
  text: string,
  bytes: number,
  mimeType: string,
  options: FitOptions,
): Promise<readonly ContentBlock[]> {
  const { maxBytes } = options
  const { head, tail } = splitAt(text, Math.min(HEAD_BYTES, maxBytes), Math.min(TAIL_BYTES, maxBytes >> 2))
  const { link, where } = await keep({ mimeType, data: text }, options)
  const said = `[cut: this text has ${bytes} bytes, of which the first ${sizeOf(head)} and the last ${sizeOf(tail)} are shown; ${where}]`
  return [note(head), note(said), note(tail), ...link]
}

async function spillBytes(
  base64: string,
  mimeType: string,
  what: string,
  options: FitOptions,
): Promise<readonly ContentBlock[]> {
  const data = decodeBase64(base64)
  const { link, where } = await keep({ mimeType: data ? mimeType : 'text/plain', data: data ?? base64 }, options)
  return [note(`[cut: ${what} (${mimeType}) has ${data?.length ?? base64.length} bytes; ${where}]`), ...link]
}

async function spillRest(blocks: readonly ContentBlock[], options: FitOptions): Promise<readonly ContentBlock[]> {
  const { link, where } = await keep({ mimeType: 'application/json', data: JSON.stringify(blocks) }, options)
  return [note(`[cut: ${blocks.length} more parts of the result are left out; ${where}]`), ...link]
}

async function fitStructured(
  structured: JsonValue,
  content: readonly ContentBlock[],
  options: FitOptions,
): Promise<{ readonly structured?: JsonValue; readonly note?: readonly ContentBlock[] }> {
  const text = JSON.stringify(structured)
  const bytes = sizeOf(text)
  if (bytes <= options.maxBytes) return { structured }
  // Many servers send the same JSON as text, which has been seen to already.
  if (content.some((block) => block.type === 'text' && block.text.trim() === text)) return {}
  const { link, where } = await keep({ mimeType: 'application/json', data: text }, options)
  return { note: [note(`[cut: the structured result has ${bytes} bytes of JSON; ${where}]`), ...link] }
}

/** Where the whole of it is, in words, and as a link. */
async function keep(
  item: Pick<SpilledItem, 'mimeType' | 'data'>,
  { server, tool, spill }: FitOptions,
): Promise<{ readonly where: string; readonly link: readonly ContentBlock[] }> {
  if (!spill) return { where: 'the rest is lost, since nothing keeps large results here', link: [] }
  try {
    const { uri, path } = await spill.keep({ ...item, server, tool })
    const { mimeType } = item
    const name = `result of ${tool}`
    return { where: `all of it is in ${path ?? uri}`, link: [{ type: 'resource_link', uri, name, mimeType }] }
  } catch (error) {
    return { where: `the rest is lost, since it could not be kept: ${messageOf(error)}`, link: [] }
  }
}

function note(text: string): ContentBlock {
  return { type: 'text', text }
}
