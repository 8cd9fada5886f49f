import {
  type ConfigDocument,
  canonicalJson,
  createReporter,
  type Diagnostic,
  type Located,
  type SourceRef,
} from '@ext/kernel'
import { isExemptFromPolicies, PolicyFiles } from '@ext/kernel/policy'
import type { HashPort } from '@ext/kernel/trust'
import { diagnosticCodes } from '../codes.js'
import type { Endpoint, Launch, Remote } from '../compiled.js'
import type { ServerEntry } from '../config/entry.js'
import { type FilePolicy, misplacedPolicy, readPolicy } from './keys.js'
import { packageFault } from './packages.js'

const report = createReporter(diagnosticCodes)

/** Which policy keeps a server off, what it is about, and where the server says that. */
interface Refusal {
  readonly key: string
  readonly pointer: string
  /** The rest of a sentence about the server. */
  readonly why: string
  readonly policy: FilePolicy
}

export interface PolicyHost {
  /** Without it no command has a hash, so none is listed. */
  readonly hash?: Pick<HashPort, 'sha256'>
  /** What an entry would start or reach; `undefined` if that can't be said. */
  endpoint(entry: Located<ServerEntry>): Endpoint | undefined
}

/**
 * What an administrator's files say about servers. They tell it while a load reads them, and are asked when all are read. Of
 * several such files each has to allow a server. Servers of the administrator and of the embedder are not theirs to judge.
 */
export class Policies {
  readonly #host: PolicyHost
  readonly #files = new PolicyFiles<FilePolicy>()
  #refused = new Map<string, Diagnostic>()

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

  /** Whether a server may be started or reached. Asked of every entry of a load. */
  allows(entry: Located<ServerEntry>): boolean {
    const refusal = this.#refusal(entry)
    if (refusal) this.#refused.set(entry.id, diagnosticOf(entry, refusal))
    return refusal === undefined
  }

  /** What the policies keep off. */
  get findings(): readonly Diagnostic[] {
    return [...this.#refused.values()]
  }

  #refusal(entry: Located<ServerEntry>): Refusal | undefined {
    const policies = this.#files.all
    if (isExemptFromPolicies(entry.source.layer) || policies.length === 0) return undefined
    const endpoint = this.#host.endpoint(entry)
    // What could not be started anyhow says so itself.
    if (!endpoint) return undefined
    for (const policy of policies) {
      const refusal = endpoint.kind === 'stdio' ? this.#ofProgram(policy, endpoint, entry) : ofAddress(policy, endpoint)
      if (refusal) return { ...refusal, policy }
    }
    return undefined
  }

  #ofProgram(policy: FilePolicy, launch: Launch, { value }: Located<ServerEntry>): Omit<Refusal, 'policy'> | undefined {
    const { transport } = value
    if (transport?.kind !== 'stdio') return undefined
    if (policy.requireSandbox) {
      const why = 'has to run in a sandbox, and this version has none'
      return { key: 'requireMcpSandbox', pointer: '', why }
    }
    if (policy.denyInheritAll && transport.inheritEnv === 'all') {
      const why = 'may not get all variables of the host'
      return { key: 'denyMcpInheritAll', pointer: '/inheritEnv', why }
    }
    if (!policy.commands && !policy.servers) return undefined
    const hash = this.#hashOf(launch)
    if (policy.servers?.some((allowed) => 'hash' in allowed && allowed.hash === hash)) return undefined
    const byHash = hash === undefined ? '' : `; as it is, its command has the hash ${hash}`
    if (!policy.commands) return { key: 'allowedMcpServers', pointer: '/command', why: `is not listed${byHash}` }
    const fault = commandFault(policy, launch, Object.keys(transport.env))
    return fault && { key: 'allowedMcpCommands', pointer: fault.pointer, why: `${fault.why}${byHash}` }
  }

  /** Of the program and its arguments, as they are started. */
  #hashOf({ command }: Launch): string | undefined {
    if (!this.#host.hash || !('file' in command)) return undefined
    return `sha256:${this.#host.hash.sha256(canonicalJson([command.file, ...command.args]))}`
  }
}

function commandFault(
  policy: FilePolicy,
  { command }: Launch,
  variables: readonly string[],
): { readonly pointer: string; readonly why: string } | undefined {
  if (!('file' in command)) return { pointer: '/command', why: 'is started by a shell, which is not listed' }
  const { file, args } = command
  const listed = (policy.commands ?? []).filter(({ program }) => program === file)
  if (listed.length === 0) return { pointer: '/command', why: `would start \`${file}\`, which is not listed` }
  // Another PATH makes another program of the same name.
  const path = variables.find((name) => /^path(ext)?$/i.test(name))
  if (path !== undefined && !/[\\/]/.test(file)) {
    return { pointer: '/env', why: `sets \`${path}\`, by which \`${file}\` could be another program` }
  }
  const why = packageFault({ file, args, variables, listed, registries: policy.registries })
  return why === undefined ? undefined : { pointer: '/args', why }
}

function ofAddress({ servers }: FilePolicy, { url }: Remote): Omit<Refusal, 'policy'> | undefined {
  if (!servers || servers.some((allowed) => 'url' in allowed && allowed.url(url))) return undefined
  return {
    key: 'allowedMcpServers',
    pointer: '/url',
    why: `would reach ${new URL(url).host}, which is not listed for it`,
  }
}

function diagnosticOf(entry: Located<ServerEntry>, { key, pointer, why, policy }: Refusal): Diagnostic {
  const message = `\`${entry.value.name}\` stays off: it ${why}.`
  return report.warning('mcp.policy.refused', entry.at(pointer), message, {
    entry: entry.id,
    pointer: entry.pointer + pointer,
    hint: `That is the policy \`${key}\` of this machine; its administrator can change it.`,
    related: [{ message: `The policy \`${key}\`.`, source: policy.place(key) }],
  })
}
