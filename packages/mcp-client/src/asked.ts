import type { ContentBlock, JsonObject, JsonSchema, SessionRef } from '@ext/kernel/contract'

/** What servers ask of the program and of the person at it. All texts are the server's: data, not instructions. */

/** Who asks, and until when. */
export interface AskedBy {
  readonly server: string
  /** Whose call it asks for. Absent where that is not known: it works for several at once, or for none. */
  readonly session?: SessionRef
  /** Aborts when the server takes the question back, is gone, or the time is up. */
  readonly signal: AbortSignal
}

/**
 * Lets servers have a model think for them. A person should see what is sent and agree to it: whoever gives this port
 * answers for that.
 */
export interface SamplingPort {
  /** @returns `undefined` for no; a rejection is no, too, and becomes a diagnostic */
  create(request: SamplingRequest, by: AskedBy): Promise<SamplingAnswer | SamplingRefusal | undefined>
  /** Whether the model can be offered tools of the server, which the server runs itself. Default false. */
  readonly tools?: boolean
}

/** What the model is to be asked, as MCP 2025-11-25 has it. */
export interface SamplingRequest {
  readonly messages: readonly SamplingMessage[]
  readonly systemPrompt?: string
  /** Not more than the program allows. */
  readonly maxTokens: number
  readonly temperature?: number
  readonly stopSequences?: readonly string[]
  /** Hints on models, and weights from 0 to 1 of cost, speed and intelligence. */
  readonly modelPreferences?: JsonObject
  /** Only if the port takes them. */
  readonly tools?: readonly { readonly name: string; readonly description: string; readonly inputSchema: JsonSchema }[]
  /** Only beside `tools`. Default `auto`. */
  readonly toolChoice?: 'auto' | 'required' | 'none'
}

export interface SamplingMessage {
  readonly role: 'user' | 'assistant'
  readonly content: readonly SamplingContent[]
}

export type SamplingContent =
  | Extract<ContentBlock, { type: 'text' | 'image' | 'audio' }>
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: JsonObject }
  | {
      readonly type: 'tool_result'
      readonly toolUseId: string
      readonly content: readonly ContentBlock[]
      readonly isError?: boolean
    }

/** No, and why, as a sentence. The server is told. */
export interface SamplingRefusal {
  readonly refused: string
}

export interface SamplingAnswer {
  /** Not empty. `tool_use` only if the request has tools. */
  readonly content: readonly SamplingContent[]
  /** Which model it was. */
  readonly model: string
  /** `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or a word of the model's. Default `endTurn`. */
  readonly stopReason?: string
}

/** Lets servers ask the person. What is absent is not offered to them. */
export interface ElicitationPort {
  /** Asks for the fields of a form. */
  form?(request: FormRequest, by: AskedBy): Promise<FormAnswer>
  /** Shows the person an address and asks whether they want to go there. Nothing may open it by itself. */
  url?(request: PageRequest, by: AskedBy): Promise<ElicitationAnswer>
}

/** `accept`: the person agrees · `decline`: they do not · `cancel`: they did not choose */
export interface ElicitationAnswer {
  readonly action: 'accept' | 'decline' | 'cancel'
}

export interface FormAnswer extends ElicitationAnswer {
  /** With `accept`. Fields that are left out get their default. */
  readonly content?: Readonly<Record<string, FormValue>>
}

export interface FormRequest {
  readonly message: string
  readonly fields: readonly FormField[]
  /** The same fields as a schema of a flat object, for those who fill it in without reading. */
  readonly schema: JsonSchema
  /** What keeps an answer from being sent, by field; none if it can be. Defaults are filled in before. */
  check(content: Readonly<Record<string, unknown>>): readonly { readonly field: string; readonly message: string }[]
}

export type FormValue = string | number | boolean | readonly string[]

/** A field of a form. Lengths are in characters, limits are inclusive. */
export type FormField = FormFieldBase &
  (
    | {
        readonly kind: 'text'
        readonly format?: 'email' | 'uri' | 'date' | 'date-time'
        readonly pattern?: string
        readonly minLength?: number
        readonly maxLength?: number
        readonly default?: string
      }
    | {
        readonly kind: 'number' | 'integer'
        readonly minimum?: number
        readonly maximum?: number
        readonly default?: number
      }
    | { readonly kind: 'boolean'; readonly default?: boolean }
    | { readonly kind: 'choice'; readonly options: readonly FormOption[]; readonly default?: string }
    | {
        readonly kind: 'choices'
        readonly options: readonly FormOption[]
        readonly minItems?: number
        readonly maxItems?: number
        readonly default?: readonly string[]
      }
  )

export interface FormFieldBase {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly required: boolean
}

export interface FormOption {
  readonly value: string
  readonly title: string
}

export interface PageRequest {
  readonly message: string
  /** http or https, without a user name or password. */
  readonly url: string
  /** Where it leads, to be shown apart: host and port, as they are looked up (`xn--…` for letters beyond ASCII). */
  readonly host: string
  /** The server does nothing before; what it was asked for is asked again once this resolves with `accept`. */
  readonly required: boolean
  /** Resolves when the server says that the person is done there; it may never do. */
  readonly completed: Promise<void>
}

/** How much servers may ask. */
export interface AskingLimits {
  /** Most tokens of one answer of a model. Default 4,096. */
  readonly maxTokens?: number
  /** Questions of one server to person and model, a minute. Default 30. */
  readonly perMinute?: number
  /** How long one may take, in milliseconds. Default 600,000. */
  readonly withinMs?: number
}

/** The levels of messages that servers log, most talkative first. */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency'
