import { type ConfigDocument, createReporter, type Diagnostic, isMap, LAYERS, suggest, wrongShape } from '@ext/kernel'
import { parseDuration } from '@ext/kernel/duration'
import { diagnosticCodes } from '../codes.js'
import { parseUrlPattern, type UrlPattern } from './urls.js'

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

export const POLICY_KEYS: readonly string[] = [
  'allowManagedHooksOnly',
  'allowedHookSources',
  'allowedHookCommands',
  'allowedHttpHookUrls',
  'httpHookAllowedEnvVars',
  'maxHookTimeout',
  'defaultOnFailure',
]

/** Keys that are near to those of a policy and mean something else. */
const OTHER_KEYS = ['disableAllHooks', 'disabledHooks', 'hooks']

/** Reads the policy of a managed file. What can't be understood is an error, which closes what needs consent. */
export function readPolicy(document: ConfigDocument): {
  readonly policy: FilePolicy
  readonly diagnostics: readonly Diagnostic[]
} {
  const root = isMap(document.value) ? document.value : {}
  const reader = new PolicyReader(document, root)
  const managedOnly = reader.managedOnly()
  const sources = reader.list('allowedHookSources', asSource, 'a layer such as user, or an absolute path')
  const commands = reader.list('allowedHookCommands', asCommand, 'a program, a whole command or sha256:<64 digits>')
  const urls = reader.list('allowedHttpHookUrls', parseUrlPattern, 'a URL such as https://hooks.example.com/*')
  const headerVariables = reader.list('httpHookAllowedEnvVars', asVariable, 'the name of a variable')
  const maxTimeoutMs = reader.timeout()
  const onFailure = reader.onFailure()
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
    diagnostics: [...reader.diagnostics, ...typos(document, root)],
  }
}

/** A policy that stands where everybody can write has no effect, and must not look as if it had. */
export function misplacedPolicy(document: ConfigDocument): readonly Diagnostic[] {
  const { value: root, source } = document
  if (!isMap(root)) return []
  return POLICY_KEYS.filter((key) => Object.hasOwn(root, key)).map((key) => {
    const message = `\`${key}\` has no effect in a ${source.layer} file: it is a policy of managed files.`
    const hint = 'Remove it here, or have the administrator of this machine set it.'
    return report.warning('hooks.policy.misplaced', document.at(`/${key}`, 'key'), message, {
      pointer: `/${key}`,
      hint,
    })
  })
}

type Root = Readonly<Record<string, unknown>>

class PolicyReader {
  readonly diagnostics: Diagnostic[] = []
  readonly #document: ConfigDocument
  readonly #root: Root

  constructor(document: ConfigDocument, root: Root) {
    this.#document = document
    this.#root = root
  }

  managedOnly(): boolean {
    const value = this.#root['allowManagedHooksOnly'] ?? false
    if (typeof value !== 'boolean') this.#wrong('/allowManagedHooksOnly', 'true or false', value)
    return value === true
  }

  list<T>(key: string, read: (text: string) => T | undefined, expected: string): readonly T[] | undefined {
    const value = this.#root[key]
    if (value === undefined) return undefined
    if (!Array.isArray(value)) {
      this.#wrong(`/${key}`, 'a list', value)
      return []
    }
    return value.flatMap((item: unknown, index) => {
      const known = typeof item === 'string' ? read(item) : undefined
      if (known === undefined) this.#wrong(`/${key}/${index}`, expected, item)
      return known === undefined ? [] : [known]
    })
  }

  timeout(): number | undefined {
    const value = this.#root['maxHookTimeout']
    if (value === undefined) return undefined
    const { ms, problem } = parseDuration(value)
    if (problem !== undefined) this.#wrong('/maxHookTimeout', 'a duration such as 30s', value)
    return ms
  }

  onFailure(): FilePolicy['onFailure'] {
    const value = this.#root['defaultOnFailure']
    if (value === undefined || value === 'block' || value === 'continue') return value
    this.#wrong('/defaultOnFailure', 'block or continue', value)
    return 'block'
  }

  #wrong(pointer: string, expected: string, value: unknown): void {
    this.diagnostics.push(wrongShape(this.#document, pointer, expected, value))
  }
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
function typos(document: ConfigDocument, root: Root): readonly Diagnostic[] {
  return Object.keys(root).flatMap((key) => {
    if (POLICY_KEYS.includes(key) || OTHER_KEYS.includes(key)) return []
    const meant = suggest(key, POLICY_KEYS)
    if (meant === undefined) return []
    const at = document.at(`/${key}`, 'key')
    const message = `There is no policy \`${key}\`.`
    return [
      report.error('hooks.policy.unknown', at, message, { pointer: `/${key}`, hint: `Did you mean \`${meant}\`?` }),
    ]
  })
}
