import {
  checkSchema,
  createReporter,
  definePipeline,
  describe,
  documentReader,
  isMap,
  type Located,
  mapEntries,
  type Outcome,
  type Pipeline,
} from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import { validateModel } from '../config/validators.generated.js'
import { describeSpec, FORMS, folderOf, type ModelSpec, type ProviderSpec, parseSpec } from './spec.js'

const report = createReporter(diagnosticCodes)

/** What stands under `model` or under a name in `models`. */
export interface ModelEntry {
  /** `model`, or `models.` and the name. */
  readonly name: string
  /** A name, if it stands for a model that is described elsewhere. */
  readonly means: ModelSpec | string
  /** It would take the place of what the person has chosen. */
  readonly standsIn: boolean
}

/** What a model's file has to do with it. */
export interface ModelContext {
  readonly project: string
  /** Names of what the person's own files hold. */
  readonly own: ReadonlySet<string>
}

/** What becomes of the models in configuration files. */
export const modelPipeline: Pipeline<ModelEntry, ModelEntry, ModelContext> = definePipeline({
  axis: 'models',
  readers: [
    documentReader('ext', (document) => {
      const found = mapEntries(document, '/models')
      const model = isMap(document.value) ? document.value['model'] : undefined
      if (model === undefined || model === null) return found
      return { ...found, entries: [document.located('/model', model), ...found.entries] }
    }),
  ],
  validate,
  identity: ({ value }) => value.name,
  merge: 'override',
  needsConsent,
  compile: ({ value }) => ({ value, diagnostics: [] }),
})

/**
 * A model decides who gets the conversation and the key. A script is played by this machine alone, but its calls are made
 * with the person's rules, so it may fill the place of a model and take none that is filled.
 */
function needsConsent({ name, means, standsIn }: ModelEntry): boolean {
  const isScript = typeof means === 'object' && means.provider === 'scripted'
  return !isScript || standsIn || name !== 'model'
}

function validate(entry: Located<unknown>, context: ModelContext): Outcome<ModelEntry> {
  const { value, pointer, source } = entry
  const name = pointer.slice(1).replace('/', '.')
  const fail = (message: string, hint: string): Outcome<ModelEntry> => ({
    diagnostics: [
      report.error('cli.model.invalid', entry.at(), message, { entry: entry.id, pointer, hint, expected: FORMS }),
    ],
  })
  const standsIn = context.own.has(name)
  if (isMap(value)) return fromMap(entry, name, standsIn)
  if (typeof value !== 'string') return fail(`\`${name}\` holds ${describe(value)}, not a model.`, HINT)
  const parsed = parseSpec(value, folderOf(source, context.project))
  if ('problem' in parsed) return fail(parsed.problem, parsed.hint)
  if ('spec' in parsed) return { value: { name, means: parsed.spec, standsIn }, diagnostics: [] }
  if (name === 'model') return { value: { name, means: parsed.name, standsIn }, diagnostics: [] }
  return fail(`\`${value}\` names no provider.`, HINT)
}

const HINT = 'Write for example `anthropic/claude-sonnet-5-5`, or a map with `provider` and `id`.'

/** Whatever would be taken for a place of the key itself. */
const KEY_FIELD = /^(?:api_?key|key|(?:api_?|auth_?)?token|secret|authorization|headers)$/i

function fromMap(entry: Located<unknown>, name: string, standsIn: boolean): Outcome<ModelEntry> {
  const field = Object.keys(entry.value as object).find((key) => KEY_FIELD.test(key))
  if (field !== undefined) return { diagnostics: [keyInFile(entry, name, field)] }
  const { value: spec, diagnostics } = checkSchema<ProviderSpec>(validateModel, entry)
  if (!spec) return { diagnostics }
  if (spec.provider === 'openai-compatible' && spec.baseURL === undefined) {
    const missing = report.error('cli.model.invalid', entry.at(), `\`${name}\` does not say where the model is.`, {
      entry: entry.id,
      pointer: entry.pointer,
      hint: 'Add for example `baseURL: http://127.0.0.1:11434/v1`.',
    })
    return { diagnostics: [...diagnostics, missing] }
  }
  return { value: { name, means: spec, standsIn }, diagnostics: [...diagnostics, ...plainHttp(entry, spec)] }
}

/** Without its line, which would be shown with the key in it. */
function keyInFile({ id, source }: Located<unknown>, name: string, field: string) {
  const { layer, file } = source
  return report.error(
    'cli.model.key-in-file',
    { layer, ...(file === undefined ? {} : { file }) },
    `\`${name}\` has a field \`${field}\`, and keys are taken from the environment only.`,
    {
      entry: id,
      hint: 'Remove it, and say with `apiKeyEnv` in which variable the key is. Revoke a key that others may have seen in the file.',
    },
  )
}

/** Whoever stands between may read the key. */
function plainHttp(entry: Located<unknown>, spec: ProviderSpec) {
  const { baseURL, apiKeyEnv, provider } = spec
  const sendsKey = apiKeyEnv !== undefined || provider !== 'openai-compatible'
  if (baseURL === undefined || !sendsKey || !URL.canParse(baseURL)) return []
  const { protocol, hostname } = new URL(baseURL)
  if (protocol === 'https:' || LOOPBACK.test(hostname)) return []
  const message = `The key for ${describeSpec(spec)} goes over a connection that others can read.`
  return [
    report.warning('cli.model.plain-http', entry.at('/baseURL'), message, {
      entry: entry.id,
      pointer: '/baseURL',
      hint: 'Write https:// if the server has it.',
    }),
  ]
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/
