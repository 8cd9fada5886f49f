import type { Model, ModelLimits } from '@ext/agent-core/types'
import { describeSpec, type ProviderName, type ProviderSpec } from './spec.js'

/** What opening a model takes of the host. */
export interface OpenOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Hears what a provider does not support. */
  report(text: string): void
}

type LanguageModel = Parameters<typeof import('@ext/agent-core/ai-sdk').aiSdkModel>[0]

export type Opened = { readonly model: Model } | { readonly problem: string; readonly hint: string }

const KEYS: Readonly<Record<ProviderName, string | undefined>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  // Its server is not OpenAI's, and must not get the key that is.
  'openai-compatible': undefined,
}

/** The variable with the key of a model, if it has one. */
export function keyVariable({ provider, apiKeyEnv }: ProviderSpec): string | undefined {
  return apiKeyEnv ?? KEYS[provider]
}

/** Checks what can be known before anything is sent. The provider itself is imported with the first request. */
export function openProvider(spec: ProviderSpec, { env, report }: OpenOptions): Opened {
  const variable = keyVariable(spec)
  const apiKey = variable === undefined ? undefined : env[variable]?.trim()
  const id = describeSpec(spec)
  if (variable !== undefined && !apiKey) {
    return {
      problem: `The model ${id} needs a key, and the variable ${variable} is not set.`,
      hint: `Set it in your shell: export ${variable}=…. Keys do not belong into files.`,
    }
  }
  if (apiKey !== undefined && /[^\x21-\x7e]/.test(apiKey)) {
    return {
      problem: `The model ${id} needs a key, and what ${variable} holds is none: it has blanks, or signs that no key has.`,
      hint: 'Copy the key once more, and set the variable to it alone.',
    }
  }
  const contextTokens = contextTokensOf(spec)
  const limits: ModelLimits = {
    images: spec.images ?? spec.provider !== 'openai-compatible',
    ...(contextTokens === undefined ? {} : { contextTokens }),
  }
  let opened: Promise<Model> | undefined
  return {
    model: {
      id,
      limits,
      async *stream(request, options) {
        opened ??= open(spec, apiKey, env, { id, limits, report })
        yield* (await opened).stream(request, options)
      },
    },
  }
}

/** What the contexts of all current models of a provider hold at least. */
const CONTEXT_TOKENS: Readonly<Partial<Record<ProviderSpec['provider'], number>>> = {
  anthropic: 200_000,
  openai: 128_000,
}

/** Tokens that the context of a model holds, as far as it is known. */
export function contextTokensOf({ provider, contextTokens }: ProviderSpec): number | undefined {
  return contextTokens ?? CONTEXT_TOKENS[provider]
}

async function open(
  spec: ProviderSpec,
  apiKey: string | undefined,
  env: OpenOptions['env'],
  { id, limits, report }: { readonly id: string; readonly limits: ModelLimits } & Pick<OpenOptions, 'report'>,
): Promise<Model> {
  const [{ aiSdkModel }, model] = await Promise.all([
    import('@ext/agent-core/ai-sdk'),
    languageModel(spec, apiKey, env),
  ])
  const { maxOutputTokens, options } = spec
  return aiSdkModel(model, {
    id,
    limits,
    settings: {
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(options ? { providerOptions: options as never } : {}),
    },
    ...(apiKey === undefined ? {} : { secrets: [apiKey] }),
    onWarning: (text) => report(`${id}: ${text}`),
  })
}

async function languageModel(spec: ProviderSpec, apiKey = '', env: OpenOptions['env']): Promise<LanguageModel> {
  const { id, baseURL = '' } = spec
  switch (spec.provider) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      const address = baseURL || withVersion(env['ANTHROPIC_BASE_URL'])
      return createAnthropic({ apiKey, fetch: fetchThere, ...(address ? { baseURL: address } : {}) })(id)
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI({ apiKey, fetch: fetchThere, ...(baseURL ? { baseURL } : {}) })(id)
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const key = apiKey === '' ? {} : { apiKey }
      return createOpenAICompatible({ name: spec.provider, baseURL, includeUsage: true, fetch: fetchThere, ...key })(id)
    }
  }
}

/** Claude Code, whose variable it is, has it without the version. */
function withVersion(address: string | undefined): string | undefined {
  return address && !/\/v\d+\/?$/.test(address) ? `${address.replace(/\/$/, '')}/v1` : address
}

/** A redirect would take the key and the conversation to where nobody has agreed to. */
const fetchThere: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'manual' })
