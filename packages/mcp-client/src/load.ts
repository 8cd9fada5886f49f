import type { Snapshot } from '@ext/kernel'
import { serverPipeline } from './config/pipeline.js'
import type { CompiledServer, ServerConfigOptions } from './types.js'

const CONNECT_MS = 30_000
const CALL_MS = 60_000

/**
 * Reads the configuration and starts nothing: what a client would start, and what is wrong with the rest.
 * @throws ExtError `kernel.reader.unknown` when a layer has a dialect that is not read here
 */
export function loadServers(options: ServerConfigOptions): Promise<Snapshot<CompiledServer>> {
  const { layers, cwd, ports, approved, timeouts } = options
  const context = {
    cwd,
    env: ports.env,
    platform: ports.platform,
    connectMs: timeouts?.connectMs ?? CONNECT_MS,
    callMs: timeouts?.callMs ?? CALL_MS,
  }
  return serverPipeline.load(layers, context, { files: ports.files, ...(approved ? { approved } : {}) })
}
