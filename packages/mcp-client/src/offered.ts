import type { ContentBlock, JsonObject, ToolResult } from '@ext/kernel/contract'
import type { Caller } from './caller.js'

/** What servers offer besides tools. Names, titles and descriptions are the server's: data, not instructions. */

/** Something that a server gives to read. */
export interface ResourceInfo {
  readonly server: string
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  /** In bytes, as the server says. */
  readonly size?: number
  /** Audience, priority and date of the last change, in the words of MCP. */
  readonly annotations?: JsonObject
}

/** Addresses of resources with gaps to be filled in. */
export interface ResourceTemplateInfo {
  readonly server: string
  /** As RFC 6570 has them: `file:///logs/{day}`. */
  readonly uriTemplate: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  readonly annotations?: JsonObject
}

/** A text that a server makes for a person to begin with. */
export interface PromptInfo {
  readonly server: string
  /** What the server calls it. */
  readonly name: string
  /** What it is called here: `mcp__<server>__<prompt>`, made as names of tools are. */
  readonly fullName: string
  readonly title?: string
  readonly description?: string
  readonly arguments: readonly PromptArgument[]
}

export interface PromptArgument {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly required: boolean
}

/** What several servers offer of one kind. */
export interface Offered<T> {
  /** Sorted by server; those of one server in its own order. */
  readonly items: readonly T[]
  /** What could not be had, by server, as sentences. */
  readonly problems: readonly { readonly server: string; readonly message: string }[]
}

/** What a prompt has come to. `failed`: nothing, and why, as for calls of tools. */
export type PromptResult =
  | {
      readonly failed?: undefined
      readonly description?: string
      readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: readonly ContentBlock[] }[]
    }
  | { readonly failed: ToolResult }

/** Values that would fit, at most 100. `failed`: why there are none. */
export interface Completion {
  readonly values: readonly string[]
  /** How many there are in all, if the server says so. */
  readonly total?: number
  /** There are more than these. */
  readonly hasMore: boolean
  readonly failed?: ToolResult
}

export interface OfferOptions extends Caller {
  readonly signal?: AbortSignal
}

/** Resources of all servers. */
export interface Resources {
  /** @param options.server only of this one; default: of all that are up */
  list(options?: OfferOptions & { readonly server?: string }): Promise<Offered<ResourceInfo>>
  templates(options?: OfferOptions & { readonly server?: string }): Promise<Offered<ResourceTemplateInfo>>
  /**
   * A resource as content, one block for each part of it. What is too large is kept elsewhere, as for calls of tools, and
   * so are failures results.
   * @throws the signal's reason when it aborts
   */
  read(server: string, uri: string, options?: OfferOptions): Promise<ToolResult>
  /**
   * Hears when a resource changes, or a part of it: soon, once for many changes in a row. Holds while the server is
   * started again, after which it hears once, since a change may have been missed; ends when its entry is another or gone.
   * @returns what ends it; `failed` if the server can't tell
   */
  subscribe(
    server: string,
    uri: string,
    listener: (uri: string) => void,
    options?: OfferOptions,
  ): Promise<ResourceSubscription>
  /** Values for a gap of a template. @param filled gaps that are filled in already */
  complete(
    server: string,
    uriTemplate: string,
    argument: { readonly name: string; readonly value: string },
    options?: OfferOptions & { readonly filled?: Readonly<Record<string, string>> },
  ): Promise<Completion>
}

export type ResourceSubscription =
  | {
      readonly failed?: undefined
      /** Ends it. Idempotent; the server is told when nobody else listens. */
      end(): void
    }
  | { readonly failed: ToolResult }

/** Prompts of all servers. */
export interface Prompts {
  /** @param options.server only of this one; default: of all that are up */
  list(options?: OfferOptions & { readonly server?: string }): Promise<Offered<PromptInfo>>
  /**
   * Fills a prompt in. What is too large is kept elsewhere, as for calls of tools.
   * @param name what the server calls it
   * @throws the signal's reason when it aborts
   */
  get(
    server: string,
    name: string,
    values?: Readonly<Record<string, string>>,
    options?: OfferOptions,
  ): Promise<PromptResult>
  /** Values for an argument. @param filled arguments that are filled in already */
  complete(
    server: string,
    name: string,
    argument: { readonly name: string; readonly value: string },
    options?: OfferOptions & { readonly filled?: Readonly<Record<string, string>> },
  ): Promise<Completion>
}
