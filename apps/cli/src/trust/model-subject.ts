import { canonicalJson, type Located } from '@ext/kernel'
import type { Runs, TrustSubject } from '@ext/kernel/trust'
import { keyVariable } from '../models/open.js'
import type { ModelEntry } from '../models/pipeline.js'
import { describeSpec, type ProviderSpec } from '../models/spec.js'

/** What a person agrees to when a project chooses who gets the conversation, and which key. */
export function modelSubject({ value }: Located<ModelEntry>, project: string): TrustSubject {
  return { kind: 'models', name: value.name, root: project, runs: asks(value.means) }
}

function asks(means: ModelEntry['means']): Runs {
  if (typeof means === 'string') return { sends: 'everything', also: { model: means } }
  if (means.provider === 'scripted') return { scripts: [means.file], also: { model: describeSpec(means) } }
  const { baseURL, options } = means
  const key = keyVariable(means)
  return {
    ...(baseURL === undefined ? { host: OWN_HOSTS[means.provider] ?? means.provider } : { url: baseURL }),
    ...(key === undefined ? {} : { passEnv: [key] }),
    sends: 'everything',
    also: { model: describeSpec(means), ...(options ? { options: canonicalJson(options) } : {}) },
  }
}

const OWN_HOSTS: Readonly<Partial<Record<ProviderSpec['provider'], string>>> = {
  anthropic: 'api.anthropic.com',
  openai: 'api.openai.com',
}
