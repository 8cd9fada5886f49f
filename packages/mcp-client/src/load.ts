import type { Snapshot } from '@ext/kernel'
import type { CompileContext } from './compile/compile.js'
import { serverPipeline } from './config/pipeline.js'
import type { CompiledServer, ServerConfigOptions } from './types.js'

/**
 * Reads the configuration and starts nothing: what a client would start or reach, and what is wrong with the rest.
 * @throws ExtError `kernel.reader.unknown` when a layer has a dialect that is not read here
 */
export function loadServers(options: ServerConfigOptions): Promise<Snapshot<CompiledServer>> {
  const { layers, ports, approved } = options
  return serverPipeline.load(layers, compileContext(options), { files: ports.files, ...(approved ? { approved } : {}) })
}

/** What entries are compiled for. */
export function compileContext({ cwd, ports, defaults = {} }: ServerConfigOptions): CompileContext {
  return { cwd, env: ports.env, platform: ports.platform, defaults }
}
