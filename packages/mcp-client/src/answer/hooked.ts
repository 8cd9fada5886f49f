import { isMap, messageOf } from '@ext/kernel'
import type { EventResult, JsonObject, LifecyclePayloads } from '@ext/kernel/contract'
import type { AskedBy, ElicitationPort, FormAnswer, FormRequest, PageRequest } from '../asked.js'

type AskedEvent = 'Elicitation' | 'ElicitationResult' | 'Notification'

/** Tells hooks of a session what happens: a session of `@ext/agent-core` or of `@ext/hooks` fits. */
export interface ElicitationHooks {
  fire<E extends AskedEvent>(
    event: E,
    payload: () => LifecyclePayloads[E],
    options: { readonly signal: AbortSignal },
  ): undefined | Promise<EventResult>
}

/** How hooks are asked before a person. */
export interface HookedElicitation {
  /** The person, who is asked where no hook answers. */
  readonly person: Required<ElicitationPort>
  /** Of the session that the servers work for now. `undefined`: there is none, and the person is asked. */
  hooks(): ElicitationHooks | undefined
  /** Whether `person` asks somebody, whom hooks of Notification may have to fetch. Default true. */
  readonly asksSomebody?: boolean
  /** Hears for the user what hooks answered in vain. Default: nobody does. */
  say?(text: string): void
}

/**
 * Lets hooks answer for the person what servers ask, and change or refuse an answer before it is sent. A hook that fails has
 * no say. A hook's values for a form are held to it as those of a person: what does not fit is not sent, and said.
 */
export function hookedElicitation(options: HookedElicitation): Required<ElicitationPort> {
  return {
    form(request, by) {
      const check = (content: JsonObject) => formFault(request, content)
      const asked = { mode: 'form', message: request.message, requested_schema: request.schema as JsonObject } as const
      return new Question(options, by, asked, check).answer(() => options.person.form(request, by))
    },
    async url(request: PageRequest, by) {
      const asked = { mode: 'url', message: request.message, url: request.url } as const
      const question = new Question(options, by, asked, () => undefined)
      const { action } = await question.answer(() => options.person.url(request, by))
      return { action }
    },
  }
}

type Asked = Omit<LifecyclePayloads['Elicitation'], 'mcp_server_name'>

class Question {
  readonly #options: HookedElicitation
  readonly #by: AskedBy
  readonly #asked: Asked
  readonly #fault: (content: JsonObject) => string | undefined

  constructor(
    options: HookedElicitation,
    by: AskedBy,
    asked: Asked,
    fault: (content: JsonObject) => string | undefined,
  ) {
    this.#options = options
    this.#by = by
    this.#asked = asked
    this.#fault = fault
  }

  async answer(ask: () => Promise<FormAnswer>): Promise<FormAnswer> {
    const hooks = this.#options.hooks()
    if (!hooks) return ask()
    const { server: mcp_server_name } = this.#by
    const before = await this.#fire(hooks, 'Elicitation', () => ({ mcp_server_name, ...this.#asked }))
    const answer = this.#answerOf(before) ?? (await this.#askPerson(hooks, ask))
    const after = await this.#fire(hooks, 'ElicitationResult', () => ({
      mcp_server_name,
      mode: this.#asked.mode,
      action: answer.action,
      ...(isMap(answer.content) ? { content: answer.content as JsonObject } : {}),
    }))
    return this.#answerOf(after) ?? answer
  }

  /** What hooks have decided, as far as it can be sent. */
  #answerOf({ block, stop, elicitation }: Partial<EventResult>): FormAnswer | undefined {
    if (block ?? stop) return { action: 'decline' }
    if (!elicitation) return undefined
    const { by, action, content = {} } = elicitation
    if (action !== 'accept') return { action }
    const fault = this.#fault(content)
    if (fault === undefined) return { action, content: content as NonNullable<FormAnswer['content']> }
    this.#options.say?.(`The answer of the hook ${by} to the server \`${this.#by.server}\` was not used: ${fault}.`)
    return undefined
  }

  /** Nobody waits for the hooks that fetch somebody. */
  #askPerson(hooks: ElicitationHooks, ask: () => Promise<FormAnswer>): Promise<FormAnswer> {
    const { message } = this.#asked
    const notification = { notification_type: 'elicitation_dialog', message, title: this.#by.server } as const
    if (this.#options.asksSomebody !== false) void this.#fire(hooks, 'Notification', () => notification)
    return ask()
  }

  /** Rejects for nothing: whoever took the question back does not wait for it. */
  async #fire<E extends AskedEvent>(
    hooks: ElicitationHooks,
    event: E,
    payload: () => LifecyclePayloads[E],
  ): Promise<Partial<EventResult>> {
    const { signal } = this.#by
    try {
      return (await hooks.fire(event, payload, { signal })) ?? {}
    } catch (error) {
      if (!signal.aborted) this.#options.say?.(`The hooks of ${event} failed and have no say: ${messageOf(error)}`)
      return {}
    }
  }
}

function formFault(request: FormRequest, content: JsonObject): string | undefined {
  const [first] = request.check(content)
  return first && `${first.field} ${first.message}`.trim()
}
