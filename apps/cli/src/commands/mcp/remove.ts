import { removeFromYaml } from '@ext/kernel'
import { nodeEditFiles } from '@ext/kernel/node'
import type { Io } from '../../io.js'
import { shorten } from '../../render/diagnostics.js'
import { printable } from '../../render/words.js'
import { openServers, unknownServer } from './open.js'
import { placeOf, scopeOf, unchanged } from './own-files.js'
import type { Scope } from './scopes.js'

export interface RemoveOptions {
  readonly project: string
  readonly scope?: Scope
}

/** Takes a server out of one of the person's files. Comments in there stay; files of other programs are not touched. */
export async function remove(name: string, options: RemoveOptions, io: Io): Promise<number> {
  const { snapshot, locations } = await openServers(options, io)
  const short = shorten(locations.project)
  const fail = (text: string, code: number) => {
    io.err(printable(short(`ext: ${text}`)))
    return code
  }
  const wrong = unknownServer([name], snapshot)
  if (wrong !== undefined) return fail(wrong, 2)
  const records = snapshot.records.filter((record) => record.name === name)
  const own = records.flatMap((record) => {
    const scope = scopeOf(record, locations)
    return scope === undefined ? [] : [{ scope, record }]
  })
  const wanted = own.filter(({ scope }) => options.scope === undefined || scope === options.scope)
  const [found, second] = wanted
  if (!found) {
    const places = records.map(placeOf).join(' and ')
    const hint =
      own.length > 0
        ? `Use --scope ${own.map(({ scope }) => scope).join(' or --scope ')}.`
        : `That file is not ours: remove it there, or switch it off with \`mcpServers: { ${name}: { enabled: false } }\` in .ext/config.local.yaml.`
    return fail(`\`${name}\` stands at ${places}. ${hint}`, 1)
  }
  if (second) {
    const scopes = wanted.map(({ scope, record }) => `\n  --scope ${scope}  ${placeOf(record)}`).join('')
    return fail(`\`${name}\` stands in several files; say which one:${scopes}`, 2)
  }
  const file = found.record.source.file ?? ''
  let failed: string | undefined
  const written = await nodeEditFiles().edit(file, async (text) => {
    const edit = await removeFromYaml(text ?? '', ['mcpServers', name])
    failed = edit.problem
    return edit.text
  })
  const failure = failed ?? written.failure
  if (failure !== undefined) return fail(unchanged(`Nothing was removed from ${file}`, failure), 1)
  io.out(printable(short(`Removed \`${name}\` from ${file}.`)))
  const others = records.filter((record) => record !== found.record)
  for (const other of others) io.out(printable(short(`Another entry of this name stands at ${placeOf(other)}.`)))
  return 0
}
