import {
  type ConfigDocument,
  createReporter,
  type Diagnostic,
  type HostPorts,
  type Located,
  type SourceRef,
} from '@ext/kernel'
import { isExemptFromPolicies, PolicyFiles } from '@ext/kernel/policy'
import type { HashPort } from '@ext/kernel/trust'
import { diagnosticCodes } from '../codes.js'
import { type HookEntry, hookName } from '../config/entry.js'
import { folderVariables } from '../config/folders.js'
import { isListed } from './commands.js'
import { type FilePolicy, misplacedPolicy, readPolicy } from './keys.js'

const report = createReporter(diagnosticCodes)

export interface PolicyHost {
  readonly root: string
  readonly ports: Pick<HostPorts, 'home'>
  readonly hash?: HashPort
}

/** Which policy keeps a hook off, and what it would have to name. */
interface PolicyRefusal {
  readonly key: string
  readonly what: string
}

type Hook = Pick<Located<HookEntry>, 'value' | 'source'>

/**
 * What an administrator's files say about hooks. They tell it while a load reads them, and are asked when all are read.
 * Of several such files each has to allow a hook. Hooks of the administrator and of the embedder are not theirs to judge.
 */
export class Policies {
  readonly #host: PolicyHost
  readonly #files = new PolicyFiles<FilePolicy>()
  #refused = new Map<string, Located<HookEntry>>()

  constructor(host: PolicyHost) {
    this.#host = host
  }

  /** Before each load. */
  begin(): void {
    this.#files.begin()
    this.#refused = new Map()
  }

  /** Takes the policy of a managed file, and says of every other that it has none to make. */
  read(document: ConfigDocument): readonly Diagnostic[] {
    if (document.source.layer !== 'managed') return misplacedPolicy(document)
    const { policy, diagnostics } = readPolicy(document)
    this.#files.take(document.source, policy)
    return diagnostics
  }

  /** A file that can't be read now says what it said before. */
  keep(source: SourceRef): void {
    this.#files.keep(source)
  }

  /** Whether a hook may take effect. Asked of every hook of a load. */
  allows(entry: Located<HookEntry>): boolean {
    const isAllowed = this.#refusal(entry, this.#host.root) === undefined
    if (!isAllowed) this.#refused.set(entry.id, entry)
    return isAllowed
  }

  /** The same right before its start: a script may have changed. `undefined`: nothing can have. */
  startCheck(hook: Hook): ((cwd: string) => boolean) | undefined {
    if (isExemptFromPolicies(hook.source.layer) || hook.value.action.type !== 'command') return undefined
    return (cwd) => this.#refusal(hook, cwd) === undefined
  }

  /** The longest time-out that a hook may have. */
  maxTimeoutMs({ source }: Pick<Hook, 'source'>): number {
    if (isExemptFromPolicies(source.layer)) return Number.POSITIVE_INFINITY
    return Math.min(...this.#all(({ maxTimeoutMs }) => maxTimeoutMs), Number.POSITIVE_INFINITY)
  }

  /** Whether a hook blocks when it fails and says nothing about that. */
  get blocksOnFailure(): boolean {
    return this.#all(({ onFailure }) => onFailure).includes('block')
  }

  /** Whether a variable of the host may stand in a header. */
  allowsHeaderVariable({ source }: Pick<Hook, 'source'>, name: string): boolean {
    if (isExemptFromPolicies(source.layer)) return true
    return this.#all(({ headerVariables }) => headerVariables).every((names) => names.includes(name))
  }

  /** What the policies keep off. */
  findings(): readonly Diagnostic[] {
    return [...this.#refused.values()].flatMap((entry) => {
      const refusal = this.#refusal(entry, this.#host.root)
      if (!refusal) return []
      const { key, what } = refusal
      const message = `\`${hookName(entry.value)}\` does not run: ${what}.`
      const hint = `That is the policy \`${key}\` of this machine; its administrator can change it.`
      return [
        report.warning('hooks.policy.refused', entry.at(), message, { entry: entry.id, pointer: entry.pointer, hint }),
      ]
    })
  }

  #refusal({ value: hook, source }: Hook, cwd: string): PolicyRefusal | undefined {
    if (isExemptFromPolicies(source.layer)) return undefined
    const { action } = hook
    const { root, ports, hash } = this.#host
    for (const { managedOnly, sources, commands, urls } of this.#files.all) {
      if (managedOnly) return { key: 'allowManagedHooksOnly', what: 'only managed hooks do' }
      if (sources && !sources.some((allowed) => isFrom(source, allowed))) {
        return { key: 'allowedHookSources', what: 'hooks of this place are not listed' }
      }
      if (commands && action.type === 'command') {
        const place = { folders: folderVariables(hook, root), root, home: ports.home, cwd, ...(hash ? { hash } : {}) }
        if (!isListed(action, commands, place)) {
          return { key: 'allowedHookCommands', what: 'neither its program nor the content of its script is listed' }
        }
      }
      if (urls && action.type === 'http' && !urls.some((fits) => fits(action.url))) {
        return { key: 'allowedHttpHookUrls', what: `${new URL(action.url).host} is not listed for it` }
      }
    }
    return undefined
  }

  #all<T>(pick: (policy: FilePolicy) => T | undefined): readonly T[] {
    return this.#files.all.map(pick).filter((value) => value !== undefined)
  }
}

function isFrom({ layer, file }: SourceRef, allowed: string): boolean {
  if (layer === allowed) return true
  return file !== undefined && (file === allowed || file.startsWith(allowed.endsWith('/') ? allowed : `${allowed}/`))
}
