/**
 * The ports' real forms on Node (`@ext/kernel/node`).
 * @module
 */
import { userInfo } from 'node:os'
import { isAbsolute } from 'node:path'
import type { HostPorts } from '../types.js'
import { nodeClock } from './clock.js'
import { nodeEditFiles } from './edit.js'
import { type FetchOptions, nodeFetch } from './fetch/fetch.js'
import { nodeFiles } from './files.js'
import { type LineFile, type LineFileOptions, lineFile } from './line-file.js'
import { type NodeProcessOptions, nodeProcess } from './process.js'
import { nodeStamps } from './stamps.js'
import { nodeHash } from './trust/hash.js'
import { nodeTrustStore } from './trust/store.js'
import { type Watching, type WatchOptions, watchFiles } from './watch.js'
import { nodeWorkFiles } from './work-files.js'

export {
  type FetchOptions,
  type LineFile,
  type LineFileOptions,
  lineFile,
  type NodeProcessOptions,
  nodeClock,
  nodeEditFiles,
  nodeFetch,
  nodeFiles,
  nodeHash,
  nodeProcess,
  nodeStamps,
  nodeTrustStore,
  nodeWorkFiles,
  type Watching,
  type WatchOptions,
  watchFiles,
}

/**
 * Everything that the libraries need of this machine. Reads the environment when called, not at import.
 * @param options.report hears what goes wrong with the machine's side, see {@link NodeProcessOptions}
 */
export function nodePorts(
  env: Readonly<Record<string, string | undefined>> = process.env,
  options: Pick<NodeProcessOptions, 'report'> = {},
): HostPorts {
  return {
    files: nodeFiles(),
    process: nodeProcess(options),
    fetch: nodeFetch({ env }),
    clock: nodeClock(),
    env,
    platform: process.platform,
    home: homeFolder(env['HOME']),
  }
}

/** `HOME` can be empty or relative; the folder that a program happens to run in must not pass for the person's home. */
function homeFolder(home: string | undefined): string {
  return home !== undefined && isAbsolute(home) ? home : userInfo().homedir
}
