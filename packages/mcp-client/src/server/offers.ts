import type { ToolResult } from '@ext/kernel/contract'
import { type ListedItems, listAll } from '../connect/list.js'
import type { ListKind, ServerCapabilities } from '../connect/session.js'
import { incomplete, notProvided, textOf } from '../explain/offers.js'
import type {
  Completion,
  OfferOptions,
  PromptInfo,
  PromptResult,
  ResourceInfo,
  ResourceTemplateInfo,
} from '../offered.js'
import { type Entries, readPrompts, readResources, readTemplates } from '../registry/entries.js'
import { bytesOf } from '../results/fit.js'
import { toCompletion, toContents, toPrompt } from '../results/offers.js'
import type { Calls } from './calls.js'

/** What is offered besides tools. */
type OfferKind = Exclude<ListKind, 'tools'>

/** What one server offers of one kind. */
export interface ServerOffer<T> {
  readonly items: readonly T[]
  /** What could not be had, as sentences. */
  readonly problems: readonly string[]
}

export interface OffersHost {
  readonly server: string
  readonly calls: Calls
  /** As it said when it was connected to last. */
  capabilities(): ServerCapabilities | undefined
  listMs(): number
}

/** Resources and prompts of one server: listed when they are asked for, read within the limits of calls. */
export class Offers {
  readonly #host: OffersHost
  /** Lists of a server that says when they change. */
  readonly #kept = new Map<OfferKind, ListedItems>()
  /** How often something has changed. */
  #version = 0

  constructor(host: OffersHost) {
    this.#host = host
  }

  /** The server has other ones now. */
  changed(what: 'resources' | 'prompts'): void {
    this.#version++
    this.#kept.delete(what)
    if (what === 'resources') this.#kept.delete('resourceTemplates')
  }

  /** It was started anew. */
  forget(): void {
    this.#version++
    this.#kept.clear()
  }

  resources(options: OfferOptions): Promise<ServerOffer<ResourceInfo>> {
    return this.#list('resources', readResources, options)
  }

  templates(options: OfferOptions): Promise<ServerOffer<ResourceTemplateInfo>> {
    return this.#list('resourceTemplates', readTemplates, options)
  }

  prompts(options: OfferOptions): Promise<ServerOffer<PromptInfo>> {
    return this.#list('prompts', readPrompts, options)
  }

  async read(uri: string, options: OfferOptions): Promise<ToolResult> {
    const { server, calls } = this.#host
    if (this.#lacks('resources')) return notProvided(server, 'resources')
    const hint = 'Check the address of the resource against the list of resources.'
    const outcome = await calls.ask('resources/read', { uri }, hint, options)
    return calls.fit('resource', outcome.failed ?? toContents(server, outcome.sent))
  }

  async get(name: string, values: Readonly<Record<string, string>>, options: OfferOptions): Promise<PromptResult> {
    const { server, calls } = this.#host
    if (this.#lacks('prompts')) return { failed: notProvided(server, 'prompts') }
    const hint = 'Check the name of the prompt and its arguments against the list of prompts.'
    const outcome = await calls.ask('prompts/get', { name, arguments: values }, hint, options)
    if (outcome.failed) return { failed: await calls.fit(name, outcome.failed) }
    const prompt = toPrompt(server, outcome.sent)
    return prompt.failed ? prompt : { ...prompt, messages: await this.#fit(name, prompt.messages) }
  }

  async complete(
    ref:
      | { readonly type: 'ref/prompt'; readonly name: string }
      | { readonly type: 'ref/resource'; readonly uri: string },
    argument: { readonly name: string; readonly value: string },
    { filled, ...options }: OfferOptions & { readonly filled?: Readonly<Record<string, string>> },
  ): Promise<Completion> {
    const { server, calls } = this.#host
    // Nothing to be told about: it is an aid, which most servers do not have.
    if (this.#lacks('completions')) return { values: [], hasMore: false }
    const context = filled ? { context: { arguments: filled } } : {}
    const params = { ref, argument: { name: argument.name, value: argument.value }, ...context }
    const hint = 'Go on without completions.'
    const outcome = await calls.ask('completion/complete', params, hint, options)
    if (outcome.failed) return { values: [], hasMore: false, failed: await calls.fit('completion', outcome.failed) }
    return toCompletion(server, outcome.sent)
  }

  /** A server that was never up may have it. */
  #lacks(what: 'resources' | 'prompts' | 'completions'): boolean {
    return this.#host.capabilities()?.[what] === false
  }

  async #list<T>(
    kind: OfferKind,
    read: (server: string, sent: readonly unknown[]) => Entries<T>,
    options: OfferOptions,
  ): Promise<ServerOffer<T>> {
    const { server } = this.#host
    const listed = this.#kept.get(kind) ?? (await this.#ask(kind, options))
    if ('failed' in listed) return { items: [], problems: [textOf(listed.failed)] }
    const { items, left } = read(server, listed.items)
    return { items, problems: incomplete(server, LISTED[kind], left, listed.cut) }
  }

  async #ask(kind: OfferKind, options: OfferOptions): Promise<ListedItems | { readonly failed: ToolResult }> {
    const { calls, capabilities, listMs } = this.#host
    const version = this.#version
    const outcome = await calls.read(
      (session, { signal }) => listAll(session, kind, signal),
      'Go on without them; the other servers are listed.',
      { ...options, callMs: listMs() },
    )
    if (outcome.failed) return { failed: await calls.fit(kind, outcome.failed) }
    const listed = outcome.sent as ListedItems
    const { promptsChange, resourcesChange } = capabilities() ?? {}
    const tells = kind === 'prompts' ? promptsChange : resourcesChange
    // What was announced while it was asked may be missing in it.
    if (tells && version === this.#version) this.#kept.set(kind, listed)
    return listed
  }

  /** All messages together get the room of one result. */
  async #fit(name: string, messages: PromptMessages): Promise<PromptMessages> {
    const { calls } = this.#host
    const kept: PromptMessages[number][] = []
    let room = calls.maxResultBytes
    for (const { role, content } of messages) {
      if (room <= 0) {
        const text = `[cut: ${messages.length - kept.length} more messages of the prompt are left out]`
        return [...kept, { role: 'user', content: [{ type: 'text', text }] }]
      }
      const fitted = await calls.fit(name, { content, isError: false }, room)
      kept.push({ role, content: fitted.content })
      room -= bytesOf(fitted.content)
    }
    return kept
  }
}

type PromptMessages = Extract<PromptResult, { readonly failed?: undefined }>['messages']

const LISTED: Readonly<Record<OfferKind, string>> = {
  resources: 'resources',
  resourceTemplates: 'templates of resources',
  prompts: 'prompts',
}
