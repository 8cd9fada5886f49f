import type { Model } from '@ext/agent-core/types'
import {
  type ConfigSource,
  type Diagnostic,
  type HostPorts,
  isForeignLayer,
  type Located,
  type Snapshot,
  suggest,
} from '@ext/kernel'
import { CLAUDE_NAMES, claudeModel, relativeOf } from './names.js'
import { type OpenOptions, openProvider } from './open.js'
import { type ModelEntry, modelPipeline } from './pipeline.js'
import { openScript } from './script.js'
import { describeSpec, FORMS, type ModelSpec, parseSpec } from './spec.js'

export interface ModelsOptions extends Pick<OpenOptions, 'report'> {
  readonly layers: readonly ConfigSource[]
  readonly project: string
  readonly ports: Pick<HostPorts, 'files' | 'env'>
  approved(entry: Located<ModelEntry>): boolean
}

/** The models that configuration files name, and how a model is found. */
export interface Models {
  readonly snapshot: Snapshot<ModelEntry>
  /** The model of the configuration, or the one that a flag names. */
  choose(flag?: string): Promise<ChosenModel>
  /** Where the model that {@link choose} takes without a flag is written. */
  readonly configured: Snapshot<ModelEntry>['entries'][number] | undefined
  /** What the names in files of agents and skills mean in a run of `main`. */
  namesFor(main: ModelSpec): (name: string) => Model | undefined
  /** Models that have a name of their own in the configuration. */
  readonly named: Readonly<Record<string, Model>>
}

/** A model that a run can begin with, or why there is none. */
export type ChosenModel =
  | { readonly model: Model; readonly spec: ModelSpec; readonly diagnostics: readonly Diagnostic[] }
  | { readonly problem: string; readonly hint: string; readonly diagnostics: readonly Diagnostic[] }

export async function loadModels({ layers, project, ports, approved, report }: ModelsOptions): Promise<Models> {
  const { files, env } = ports
  const ownLayers = layers.filter(({ layer }) => !isForeignLayer(layer))
  const { entries } = await modelPipeline.load(ownLayers, { project, own: new Set() }, { files })
  const own = new Set(entries.map(({ value }) => value.name))
  const snapshot = await modelPipeline.load(layers, { project, own }, { files, approved })
  const specs = new Map(snapshot.entries.map(({ value }) => [value.name, value.means]))
  const specOf = (name: string): ModelSpec | undefined => {
    const means = specs.get(`models.${name}`)
    return typeof means === 'object' ? means : undefined
  }
  const names = [...specs.keys()].flatMap((name) => (name.startsWith('models.') ? [name.slice(7)] : []))

  async function open(spec: ModelSpec): Promise<ChosenModel> {
    if (spec.provider !== 'scripted') return { spec, diagnostics: [], ...openProvider(spec, { env, report }) }
    const opened = await openScript(spec, files)
    return 'model' in opened ? { ...opened, spec } : opened
  }
  async function byName(name: string): Promise<ChosenModel> {
    const spec = specOf(name) ?? claudeModel(name)
    return spec ? open(spec) : { ...unknownName(name, names), diagnostics: [] }
  }
  /** Whoever names it does so in the middle of a run, and waits for nothing. */
  function openLater(spec: ModelSpec): Model {
    const opened = spec.provider === 'scripted' ? later(spec, open) : openProvider(spec, { env, report })
    if ('model' in opened) return opened.model
    return later(spec, async () => ({ ...opened, diagnostics: [] })).model
  }
  return {
    snapshot,
    configured: snapshot.entries.find(({ value }) => value.name === 'model'),
    named: Object.fromEntries(
      names.flatMap((name) => {
        const spec = specOf(name)
        return spec ? [[name, openLater(spec)]] : []
      }),
    ),
    async choose(flag) {
      const parsed = flag === undefined ? undefined : parseSpec(flag, process.cwd())
      if (parsed && 'problem' in parsed) return { ...parsed, diagnostics: [] }
      const means = parsed ? ('spec' in parsed ? parsed.spec : parsed.name) : specs.get('model')
      if (means === undefined) return { ...nothingChosen(snapshot), diagnostics: [] }
      return typeof means === 'string' ? byName(means) : open(means)
    },
    namesFor(main) {
      const known = new Map<string, Model | undefined>()
      const find = (name: string): Model | undefined => {
        const spec = specOf(name) ?? relativeOf(main, name, project)
        if (spec) return openLater(spec)
        report(
          `A file of an agent or a skill names the model \`${name}\`, which has no meaning here. Give it one in ~/.ext/config.yaml: models: { ${name}: … }.`,
        )
        return undefined
      }
      return (name) => {
        if (!known.has(name)) known.set(name, find(name))
        return known.get(name)
      }
    },
  }
}

/** A model that is opened when it is asked first. What is wrong with it fails whoever asks, with the reason. */
function later(spec: ModelSpec, open: (spec: ModelSpec) => Promise<ChosenModel>): { readonly model: Model } {
  let opening: Promise<ChosenModel> | undefined
  return {
    model: {
      id: describeSpec(spec),
      async *stream(request, options) {
        opening ??= open(spec)
        const opened = await opening
        if ('problem' in opened) {
          const { ModelError } = await import('@ext/agent-core')
          throw new ModelError('invalid_request', `${opened.problem} ${opened.hint}`)
        }
        yield* opened.model.stream(request, options)
      },
    },
  }
}

function unknownName(name: string, names: readonly string[]) {
  const known = [...names, ...Object.keys(CLAUDE_NAMES)]
  const meant = suggest(name, known)
  const owner = /^claude-/.test(name) ? 'anthropic' : /^(?:gpt-|chatgpt-|o\d)/.test(name) ? 'openai' : undefined
  const hint = owner ? `Did you mean \`${owner}/${name}\`?` : meant ? `Did you mean \`${meant}\`?` : WAYS
  return { problem: `There is no model of the name \`${name}\`.`, hint }
}

const WAYS = `Write ${FORMS.slice(0, -1).join(', ')}, or give the name a meaning under \`models\`.`

function nothingChosen({ records }: Snapshot<ModelEntry>) {
  const waits = records.some(({ name, verdict }) => name === 'model' && verdict === 'untrusted')
  if (waits) {
    return {
      problem: 'The only model that is configured is the project’s, and nobody has approved it.',
      hint: 'See with `ext trust list` where the conversation would go, then `ext trust approve model`; or use --model.',
    }
  }
  return {
    problem: 'No model is given.',
    hint: `Use --model, or write \`model:\` into ~/.ext/config.yaml. A model is ${FORMS.slice(0, -1).join(', ')}.`,
  }
}
