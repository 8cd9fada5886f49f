/**
 * The ports' real forms on Node (`@ext/kernel/node`).
 * @module
 */
import { homedir } from 'node:os'
import type { HostPorts } from '../types.js'
import { nodeClock } from './clock.js'
import { nodeFiles } from './files.js'
import { nodeProcess } from './process.js'

export { nodeClock, nodeFiles, nodeProcess }

/** Everything that the libraries need of this machine. Reads the environment when called, not at import. */
export function nodePorts(env: Readonly<Record<string, string | undefined>> = process.env): HostPorts {
  return {
    files: nodeFiles(),
    process: nodeProcess(),
    clock: nodeClock(),
    env,
    platform: process.platform,
    home: env['HOME'] || homedir(),
  }
}
