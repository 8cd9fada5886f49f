import { type Located, type Snapshot, sortDiagnostics } from '@ext/kernel'
import { type CompileContext, endpointOf } from './compile/compile.js'
import type { ServerEntry } from './config/entry.js'
import { type ServerPipeline, serverPipeline } from './config/pipeline.js'
import { Policies } from './policy/policies.js'
import type { CompiledServer, ServerConfigOptions } from './types.js'

/**
 * Reads the configuration and starts nothing: what a client would start or reach, and what is wrong with the rest.
 * @throws ExtError `kernel.reader.unknown` when a layer has a dialect that is not read here
 */
export async function loadServers(options: ServerConfigOptions): Promise<Snapshot<CompiledServer>> {
  const { layers, ports, approved } = options
  const { pipeline, context, policies } = serverConfig(options)
  const host = { files: ports.files, ...(approved ? { approved } : {}) }
  const snapshot = await pipeline.load(layers, context(), host)
  return { ...snapshot, diagnostics: sortDiagnostics([...snapshot.diagnostics, ...policies.findings]) }
}

export interface ServerConfig {
  readonly pipeline: ServerPipeline
  /** Before each load. */
  context(): CompileContext
  readonly policies: Policies
}

/** How one client reads its configuration. */
export function serverConfig({ cwd, ports, hash, defaults = {} }: ServerConfigOptions): ServerConfig {
  const compileContext: CompileContext = { cwd, env: ports.env, platform: ports.platform, defaults }
  const endpoint = (entry: Located<ServerEntry>) => endpointOf(entry, compileContext)
  const policies = new Policies({ endpoint, ...(hash ? { hash } : {}) })
  return {
    pipeline: serverPipeline(policies),
    context() {
      policies.begin()
      return compileContext
    },
    policies,
  }
}
