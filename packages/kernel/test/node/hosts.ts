import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const source = fileURLToPath(new URL('../../src/node/process.ts', import.meta.url))

/** Makes one module of the process port, so that a program of its own can use it. */
export async function bundlePort(folder: string): Promise<string> {
  const outfile = join(folder, 'process.mjs')
  await build({ entryPoints: [source], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' })
  return outfile
}

/** A program that has `run` and `start`, `sh(script)` and the `env` of marked children at hand. */
export function hostArguments(port: string, program: string): readonly string[] {
  const script = `
    const { nodeProcess } = await import(${JSON.stringify(port)})
    const { run, start } = nodeProcess()
    const sh = (script) => ({ shell: 'sh', script })
    const env = { PATH: process.env.PATH, EXT_TEST_MARK: process.env.MARK }
    ${program}`
  return ['--input-type=module', '-e', script]
}

/** Starts such a program and resolves once it has printed `ready`. */
export async function startHost(port: string, mark: string, program: string): Promise<ChildProcess> {
  const host = spawn(process.execPath, hostArguments(port, program), {
    env: { ...process.env, MARK: mark },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  await new Promise<void>((resolve, reject) => {
    let output = ''
    host.stdout.on('data', (chunk: Buffer) => {
      output += chunk
      if (output.includes('ready')) resolve()
    })
    host.on('exit', () => reject(new Error(`The host ended early. It printed: ${output}`)))
  })
  host.removeAllListeners('exit')
  return host
}
