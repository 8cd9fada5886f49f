import type { FetchAnswer } from '@ext/kernel/types'
import { contentKind, HEAD_BYTES } from '../files/content-kind.js'
import { decode, formatOf } from '../files/text-format.js'

/** What came over the web, as far as it can be shown. */
export type WebContent =
  | { readonly kind: 'html' | 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly mimeType: string }
  | { readonly kind: 'other'; readonly what: string }

const TEXTS = /^text\/|[/+](?:json|xml|yaml|x-yaml|toml|javascript|ecmascript|x-sh|sql|graphql|csv)(?:$|-)|jsonl|ndjson/

/** @param type of the `content-type` header, without its parameters; empty if there is none */
export function webContent({ body, headers }: FetchAnswer, type: string): WebContent {
  const head = body.subarray(0, HEAD_BYTES)
  const kind = contentKind(head)
  if (kind.kind === 'image') return kind
  if (kind.kind === 'binary') return { kind: 'other', what: kind.what }
  const isHtml = type === 'text/html' || type === 'application/xhtml+xml' || (type === '' && looksLikeHtml(head))
  // Many servers call every file an octet-stream.
  const isText = isHtml || type === '' || type === 'application/octet-stream' || TEXTS.test(type)
  if (!isText) return { kind: 'other', what: type }
  return {
    kind: isHtml ? 'html' : 'text',
    text: decodeWeb(body, charsetOf(headers['content-type'] ?? '', isHtml ? head : undefined)),
  }
}

function looksLikeHtml(head: Uint8Array): boolean {
  return /^\s*<(?:!doctype html|html)/i.test(new TextDecoder().decode(head.subarray(0, 200)))
}

/** A byte order mark comes first, then the header, then what a page says of itself. */
function decodeWeb(body: Uint8Array, charset: string | undefined): string {
  const format = formatOf(body)
  if (format.mark > 0 || charset === undefined) return decode(body, format)
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    return decode(body, format)
  }
}

function charsetOf(header: string, page: Uint8Array | undefined): string | undefined {
  const named = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(header)?.[1]
  if (named !== undefined || !page) return named
  return /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]+)/i.exec(new TextDecoder().decode(page.subarray(0, 1024)))?.[1]
}
