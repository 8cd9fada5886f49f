import { type ConfigDocument, createReporter, type Diagnostic, type Source } from '@ext/kernel'
import { misspeltPolicies, PolicyReader, parseUrlPattern, policiesIn, type UrlPattern } from '@ext/kernel/policy'
import { diagnosticCodes } from '../codes.js'

const report = createReporter(diagnosticCodes)

/** What one managed file says about the servers of everybody else. What it does not say, it leaves open. */
export interface FilePolicy {
  readonly commands?: readonly AllowedCommand[]
  /** Addresses of registries and indexes, and hosts of images. */
  readonly registries?: readonly string[]
  readonly servers?: readonly AllowedServer[]
  readonly denyInheritAll: boolean
  readonly requireSandbox: boolean
  /** Where the file says it. */
  place(key: string): Source
}

/** A program, exactly as it is started; of a program that runs packages, perhaps only one of them. */
export interface AllowedCommand {
  readonly text: string
  readonly program: string
  /** Its name, and its version if only that one may run. */
  readonly of?: string
}

export type AllowedServer = { readonly url: UrlPattern } | { readonly hash: string }

/** Keys that are near to those of a policy and mean something else. */
const OTHER_KEYS = ['mcpServers']

/** Reads the policy of a managed file. What can't be understood is an error, which keeps off all that needs consent. */
export function readPolicy(document: ConfigDocument): {
  readonly policy: FilePolicy
  readonly diagnostics: readonly Diagnostic[]
} {
  const reader = new PolicyReader(document)
  const commands = reader.list('allowedMcpCommands', asCommand, 'a program, or npx and the like with a package')
  const registries = reader.list('allowedMcpRegistries', asRegistry, 'an address, or the host of images')
  const servers = reader.list(
    'allowedMcpServers',
    asServer,
    'a URL such as https://mcp.example.com/*, or sha256:<64 digits>',
  )
  const denyInheritAll = reader.flag('denyMcpInheritAll')
  const requireSandbox = reader.flag('requireMcpSandbox')
  return {
    policy: {
      ...(commands ? { commands } : {}),
      ...(registries ? { registries } : {}),
      ...(servers ? { servers } : {}),
      denyInheritAll,
      requireSandbox,
      place: (key) => document.at(`/${key}`),
    },
    diagnostics: [...reader.diagnostics, ...misspelt(document)],
  }
}

/** A policy that stands where everybody can write has no effect, and must not look as if it had. */
export function misplacedPolicy(document: ConfigDocument): readonly Diagnostic[] {
  return policiesIn(document, 'servers').map((key) => {
    const message = `\`${key}\` has no effect in a ${document.source.layer} file: it is a policy of managed files.`
    const hint = 'Remove it here, or have the administrator of this machine set it.'
    const pointer = `/${key}`
    return report.warning('mcp.policy.misplaced', document.at(pointer, 'key'), message, { pointer, hint })
  })
}

function misspelt(document: ConfigDocument): readonly Diagnostic[] {
  return misspeltPolicies(document, 'servers', OTHER_KEYS).map(({ key, meant }) => {
    const pointer = `/${key}`
    const hint = `Did you mean \`${meant}\`?`
    return report.error('mcp.policy.unknown', document.at(pointer, 'key'), `There is no policy \`${key}\`.`, {
      pointer,
      hint,
    })
  })
}

function asCommand(text: string): AllowedCommand | undefined {
  if (text.trim() === '') return undefined
  const [program = '', of, ...more] = text.trim().split(/\s+/)
  return of === undefined || more.length > 0 ? { text, program: text } : { text, program, of }
}

function asRegistry(text: string): string | undefined {
  if (/^[\w.-]+(?::\d+)?(?:\/[\w./-]*)?$/.test(text)) return text.replace(/\/+$/, '')
  return addressOf(text)
}

/** The same for two ways to write it. */
export function addressOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, href, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === '' ? href.replace(/\/+$/, '') : undefined
}

function asServer(text: string): AllowedServer | undefined {
  if (/^sha256:[0-9a-f]{64}$/.test(text)) return { hash: text }
  const url = parseUrlPattern(text)
  return url && { url }
}
