import { type ConfigDocument, createReporter, type Diagnostic, LAYERS } from '@ext/kernel'
import { parseDuration } from '@ext/kernel/duration'
import { misspeltPolicies, PolicyReader, parseUrlPattern, policiesIn, type UrlPattern } from '@ext/kernel/policy'
import { diagnosticCodes } from '../codes.js'

const report = createReporter(diagnosticCodes)

/** What one managed file says about the hooks of everybody else. What it does not say, it leaves open. */
export interface FilePolicy {
  readonly managedOnly: boolean
  /** Layers, or absolute paths of files and folders. */
  readonly sources?: readonly string[]
  /** Programs, whole command texts, or `sha256:` of scripts. */
  readonly commands?: readonly string[]
  readonly urls?: readonly UrlPattern[]
  readonly headerVariables?: readonly string[]
  readonly maxTimeoutMs?: number
  readonly onFailure?: 'continue' | 'block'
}

/** Keys that are near to those of a policy and mean something else. */
const OTHER_KEYS = ['disableAllHooks', 'disabledHooks', 'hooks']

/** Reads the policy of a managed file. What can't be understood is an error, which closes what needs consent. */
export function readPolicy(document: ConfigDocument): {
  readonly policy: FilePolicy
  readonly diagnostics: readonly Diagnostic[]
} {
  const reader = new PolicyReader(document)
  const managedOnly = reader.flag('allowManagedHooksOnly')
  const sources = reader.list('allowedHookSources', asSource, 'a layer such as user, or an absolute path')
  const commands = reader.list('allowedHookCommands', asCommand, 'a program, a whole command or sha256:<64 digits>')
  const urls = reader.list('allowedHttpHookUrls', parseUrlPattern, 'a URL such as https://hooks.example.com/*')
  const headerVariables = reader.list('httpHookAllowedEnvVars', asVariable, 'the name of a variable')
  const maxTimeoutMs = maxTimeout(reader)
  const onFailure = failurePolicy(reader)
  return {
    policy: {
      managedOnly,
      ...(sources ? { sources } : {}),
      ...(commands ? { commands } : {}),
      ...(urls ? { urls } : {}),
      ...(headerVariables ? { headerVariables } : {}),
      ...(maxTimeoutMs === undefined ? {} : { maxTimeoutMs }),
      ...(onFailure === undefined ? {} : { onFailure }),
    },
    diagnostics: [...reader.diagnostics, ...typos(document)],
  }
}

/** A policy that stands where everybody can write has no effect, and must not look as if it had. */
export function misplacedPolicy(document: ConfigDocument): readonly Diagnostic[] {
  return policiesIn(document, 'hooks').map((key) => {
    const message = `\`${key}\` has no effect in a ${document.source.layer} file: it is a policy of managed files.`
    const hint = 'Remove it here, or have the administrator of this machine set it.'
    return report.warning('hooks.policy.misplaced', document.at(`/${key}`, 'key'), message, {
      pointer: `/${key}`,
      hint,
    })
  })
}

function maxTimeout(reader: PolicyReader): number | undefined {
  const value = reader.at('maxHookTimeout')
  if (value === undefined) return undefined
  const { ms, problem } = parseDuration(value)
  if (problem !== undefined) reader.wrong('/maxHookTimeout', 'a duration such as 30s', value)
  return ms
}

function failurePolicy(reader: PolicyReader): FilePolicy['onFailure'] {
  const value = reader.at('defaultOnFailure')
  if (value === undefined || value === 'block' || value === 'continue') return value
  reader.wrong('/defaultOnFailure', 'block or continue', value)
  return 'block'
}

function asSource(text: string): string | undefined {
  const isPath = /^(\/|[A-Za-z]:[\\/])/.test(text)
  return isPath || LAYERS.some((layer) => layer === text) ? text : undefined
}

function asCommand(text: string): string | undefined {
  if (text.trim() === '') return undefined
  return !text.startsWith('sha256:') || /^sha256:[0-9a-f]{64}$/.test(text) ? text : undefined
}

function asVariable(text: string): string | undefined {
  return /^[A-Za-z_]\w*$/.test(text) ? text : undefined
}

/** A policy that is misspelt would let everything pass. */
function typos(document: ConfigDocument): readonly Diagnostic[] {
  return misspeltPolicies(document, 'hooks', OTHER_KEYS).map(({ key, meant }) =>
    report.error('hooks.policy.unknown', document.at(`/${key}`, 'key'), `There is no policy \`${key}\`.`, {
      pointer: `/${key}`,
      hint: `Did you mean \`${meant}\`?`,
    }),
  )
}
