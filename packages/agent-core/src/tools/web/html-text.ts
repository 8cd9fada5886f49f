import type { Parser } from 'htmlparser2'
import type { createTurns } from '../search/turns.js'
import { TextWriter } from './text-writer.js'

/** What nobody sees of a page. */
const UNSEEN: ReadonlySet<string> = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'svg',
  'math',
  'iframe',
  'object',
  'canvas',
  'select',
])
const PARAGRAPHS: ReadonlySet<string> = new Set([
  'p',
  'blockquote',
  'table',
  'ul',
  'ol',
  'dl',
  'pre',
  'figure',
  'article',
  'section',
  'main',
  'header',
  'footer',
  'nav',
  'aside',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
])
const LINES: ReadonlySet<string> = new Set([
  'div',
  'tr',
  'li',
  'dt',
  'dd',
  'form',
  'fieldset',
  'address',
  'caption',
  'option',
])

/** No page that people read nests deeper, and the parser takes the square of it. */
const MAX_DEPTH = 500
const CHUNK = 32_768

export interface HtmlText {
  readonly title: string
  readonly text: string
  /** Why the end is missing, if it is. */
  readonly cut: string | undefined
}

/**
 * The text of a page in the manner of Markdown: headings, lists, links, tables and code can be told apart. What is not
 * shown is left out; nothing in it is run or fetched.
 * @param base where its links start
 */
export async function htmlToText(
  html: string,
  base: string,
  most: number,
  turns: ReturnType<typeof createTurns>,
): Promise<HtmlText> {
  const { Parser } = await import('htmlparser2')
  const page = new Page(base)
  const parser: Parser = new Parser(page, { decodeEntities: true })
  for (let at = 0; at < html.length && !page.isTooDeep && page.length <= most; at += CHUNK) {
    parser.write(html.slice(at, at + CHUNK))
    await turns.pass()
  }
  // After an end that comes too early there is nothing to close.
  if (!page.isTooDeep) parser.end()
  return {
    title: page.title.replace(/\s+/g, ' ').trim(),
    text: page.text(),
    cut: page.isTooDeep ? `the page nests its parts more than ${MAX_DEPTH} deep; the rest is left out` : undefined,
  }
}

/** Hears what the parser finds. */
class Page {
  title = ''
  isTooDeep = false
  readonly #out = new TextWriter()
  readonly #base: string
  #depth = 0
  /** How many parts that nobody sees are open. */
  #unseen = 0
  #inTitle = false
  readonly #links: (string | undefined)[] = []
  readonly #lists: { next: number | undefined }[] = []
  #cells = 0

  constructor(base: string) {
    this.#base = base
  }

  get length(): number {
    return this.#out.length
  }

  text(): string {
    return this.#out.text()
  }

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    if (++this.#depth > MAX_DEPTH) this.isTooDeep = true
    if (UNSEEN.has(name)) this.#unseen++
    if (name === 'title') this.#inTitle = this.#unseen === 0 && this.title === ''
    if (this.#unseen > 0 || this.isTooDeep) return
    const out = this.#out
    this.#open(name)
    if (/^h[1-6]$/.test(name)) out.mark(`${'#'.repeat(Number(name[1]))} `)
    else if (name === 'br') out.break(1)
    else if (name === 'hr') this.#rule()
    else if (name === 'pre') this.#code(true)
    else if (name === 'ul' || name === 'ol') this.#list(name === 'ol' ? 1 : undefined)
    else if (name === 'li') this.#item()
    else if (name === 'tr') this.#cells = 0
    else if (name === 'td' || name === 'th') out.mark(this.#cells++ > 0 ? ' | ' : '')
    else if (name === 'blockquote') out.indent(1)
    else if (name === 'img' && attributes['alt']) out.write(`[image: ${attributes['alt']}]`)
    else if (name === 'a') this.#link(attributes['href'])
  }

  ontext(text: string): void {
    if (this.#inTitle) this.title += text
    else if (this.#unseen === 0 && !this.isTooDeep) this.#out.write(text)
  }

  onclosetag(name: string): void {
    this.#depth--
    if (name === 'title') this.#inTitle = false
    if (UNSEEN.has(name)) {
      this.#unseen = Math.max(0, this.#unseen - 1)
      return
    }
    if (this.#unseen > 0 || this.isTooDeep) return
    if (name === 'a') {
      const url = this.#links.pop()
      if (url !== undefined) this.#out.mark(`](${url})`)
    } else if (name === 'pre') this.#code(false)
    else if (name === 'blockquote') this.#out.indent(-1)
    else if (name === 'ul' || name === 'ol') {
      this.#lists.pop()
      if (this.#lists.length > 0) this.#out.indent(-1)
    }
    this.#open(name)
  }

  /** A block begins or ends. */
  #open(name: string): void {
    // A list within a list is part of its item.
    const isInner = (name === 'ul' || name === 'ol') && this.#lists.length > 0
    if (PARAGRAPHS.has(name) && !isInner) this.#out.break(2)
    else if (LINES.has(name) || isInner) this.#out.break(1)
  }

  #rule(): void {
    this.#out.break(2)
    this.#out.mark('* * *')
    this.#out.break(2)
  }

  #code(begins: boolean): void {
    if (!begins) this.#out.keepBlanks(false)
    this.#out.break(1)
    this.#out.mark('```')
    this.#out.break(begins ? 1 : 2)
    if (begins) this.#out.keepBlanks(true)
  }

  #list(next: number | undefined): void {
    if (this.#lists.length > 0) this.#out.indent(1)
    this.#lists.push({ next })
  }

  #item(): void {
    const list = this.#lists.at(-1)
    this.#out.mark(list?.next === undefined ? '- ' : `${list.next++}. `)
  }

  /** Only links that lead somewhere else, and to the web. */
  #link(href: string | undefined): void {
    const url =
      href !== undefined && !href.startsWith('#') && URL.canParse(href, this.#base)
        ? new URL(href, this.#base)
        : undefined
    const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
    this.#links.push(isWeb ? url.href : undefined)
    if (isWeb) this.#out.mark('[')
  }
}
