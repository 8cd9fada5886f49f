import { type Diagnostic, type Located, type Snapshot, sortDiagnostics } from '@ext/kernel'
import { type CompileContext, endpointOf } from './compile/compile.js'
import type { ServerEntry } from './config/entry.js'
import { type ServerPipeline, serverPipeline } from './config/pipeline.js'
import { Rejections } from './config/rejections.js'
import { Policies } from './policy/policies.js'
import type { CompiledServer, ServerConfigOptions } from './types.js'

/**
 * Reads the configuration and starts nothing: what a client would start or reach, and what is wrong with the rest.
 * @throws ExtError `kernel.reader.unknown` when a layer has a dialect that is not read here
 */
export async function loadServers(options: ServerConfigOptions): Promise<Snapshot<CompiledServer>> {
  const { layers, ports, approved } = options
  const config = serverConfig(options)
  const host = { files: ports.files, ...(approved ? { approved } : {}) }
  const snapshot = await config.pipeline.load(layers, config.context(), host)
  return { ...snapshot, diagnostics: sortDiagnostics([...snapshot.diagnostics, ...config.findings()]) }
}

export interface ServerConfig {
  readonly pipeline: ServerPipeline
  /** Before each load. */
  context(): CompileContext
  /** What the files keep off that are about servers of others, once a load has read them. */
  findings(): readonly Diagnostic[]
}

/** How one client reads its configuration. */
export function serverConfig({ cwd, ports, hash, defaults = {} }: ServerConfigOptions): ServerConfig {
  const compileContext: CompileContext = { cwd, env: ports.env, platform: ports.platform, defaults }
  const endpoint = (entry: Located<ServerEntry>) => endpointOf(entry, compileContext)
  const policies = new Policies({ endpoint, ...(hash ? { hash } : {}) })
  const rejections = new Rejections()
  return {
    pipeline: serverPipeline(policies, rejections),
    context() {
      policies.begin()
      rejections.begin()
      return compileContext
    },
    findings: () => [...policies.findings, ...rejections.findings],
  }
}
