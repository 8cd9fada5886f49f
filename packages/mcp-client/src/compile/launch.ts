import { joinPointer } from '@ext/kernel'
import { childEnv, ENV_PRESETS, type EnvPreset } from '@ext/kernel/env'
import type { Launch } from '../compiled.js'
import type { StdioEntry } from '../config/entry.js'
import type { Notes } from '../config/notes.js'
import type { CompileContext } from './compile.js'
import type { Variables } from './variables.js'

/** What is started: a program, in which folder, with which variables. */
export function launch(entry: StdioEntry, context: CompileContext, variables: Variables, notes: Notes): Launch {
  const file = variables.fillFixed('/command', entry.command)
  const args = entry.args.map((arg, index) => {
    const pointer = `/args/${index}`
    return variables.claude ? variables.fill(pointer, arg) : variables.keep(pointer, arg)
  })
  const cwd = variables.keep('/cwd', entry.cwd ?? '')
  const declared = Object.entries(entry.env).map(
    ([name, value]) => [name, variables.fill(joinPointer('/env', name), value)] as const,
  )
  const env = environment(entry.inheritEnv, Object.fromEntries(declared), context, notes)
  return {
    kind: 'stdio',
    // A bare name is looked up on PATH; anything else is a path.
    command: { file: /[\\/]/.test(file) ? resolve(context.cwd, file) : file, args },
    cwd: resolve(context.cwd, cwd),
    env,
    protocol: entry.protocol === '2026' ? '2026' : '2025',
  }
}

function environment(
  inherit: StdioEntry['inheritEnv'],
  declared: Readonly<Record<string, string>>,
  { env: host, platform }: CompileContext,
  notes: Notes,
): Launch['env'] {
  if (inherit === 'all') return childEnv({ host, platform, declared, inherit: 'all' }).env
  const isPreset = (name: string): name is EnvPreset => Object.hasOwn(ENV_PRESETS, name)
  const passEnv = inherit.filter((name) => !isPreset(name))
  const { env, missing } = childEnv({ host, platform, declared, presets: inherit.filter(isPreset), passEnv })
  for (const name of missing) {
    const pointer = `/inheritEnv/${inherit.indexOf(name)}`
    const message = `\`${name}\` is not set, so there is nothing to pass on.`
    notes.warning('mcp.env.undefined', pointer, message, `Set \`${name}\` before the start.`)
  }
  return env
}

function resolve(base: string, path: string): string {
  if (path === '') return base
  return /^([\\/]|[A-Za-z]:[\\/])/.test(path) ? path : `${base}/${path}`
}
