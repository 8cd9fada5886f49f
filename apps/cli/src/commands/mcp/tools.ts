import { createHash } from 'node:crypto'
import { suggest } from '@ext/kernel'
import type { HeldTool } from '@ext/mcp-client/types'
import type { Io } from '../../io.js'
import { indent, oneLine, printable } from '../../render/words.js'
import { type RunningServers, rowsOf, type ServerOptions, withServers } from './open.js'
import { describeRow } from './test.js'

export interface ToolsOptions extends ServerOptions {
  readonly held?: boolean
  readonly approve?: readonly string[]
  readonly json?: boolean
}

/** Starts servers and shows their tools: those that are offered, and why the others are not. */
export function tools(names: readonly string[], options: ToolsOptions, io: Io): Promise<number> {
  const [server] = names
  const { approve } = options
  if (approve && server === undefined) {
    io.err('ext: Say of which server: ext mcp tools NAME --approve TOOL…')
    return Promise.resolve(2)
  }
  return withServers(options, names, io, (servers) =>
    approve && server !== undefined
      ? approveHeld(server, approve, options, servers, io)
      : show(names, options, servers, io),
  )
}

async function show(names: readonly string[], options: ToolsOptions, servers: RunningServers, io: Io): Promise<number> {
  const { client } = servers
  const rows = rowsOf(servers, names)
  const shown = new Set(rows.map(({ name }) => name))
  const down = rows.filter(({ state }) => !['ready', 'degraded', 'disabled', 'shadowed'].includes(state))
  const code = down.length > 0 || (names.length === 0 && servers.unread > 0) ? 1 : 0
  const isShown = ({ server }: { readonly server: string }) => shown.has(server)
  const held = client.held().filter(isShown)
  const hidden = client.hidden().filter(isShown)
  const offered = client.tools().filter(({ source }) => shown.has(source.server ?? ''))
  const leftOut = client.diagnostics.filter(({ code }) => code === 'mcp.tool.quarantined')
  if (options.json) {
    const listed = offered.map(({ run: _, ...tool }) => tool)
    const waiting = held.map((each) => ({ ...each, digest: digestOf(each) }))
    io.out(
      JSON.stringify({ servers: rows, tools: options.held ? [] : listed, held: waiting, hidden, leftOut }, null, 2),
    )
    return code
  }
  if (!options.held) {
    for (const { name, kind, description } of offered) {
      io.out(printable(`${kind.padEnd(7)}${name.padEnd(40)} ${oneLine(description, 100)}`))
    }
    for (const { server, tool, why } of hidden) io.out(printable(`${'hidden'.padEnd(7)}${tool} of ${server}: ${why}`))
    for (const { message } of leftOut) io.out(printable(`${'broken'.padEnd(7)}${message}`))
  }
  for (const each of held) {
    for (const line of describeHeld(each)) io.out(printable(line))
    io.out(
      printable(indent(`approve it as it is here: ext mcp tools ${each.server} --approve ${nameWithDigest(each)}`)),
    )
  }
  for (const row of down) for (const line of describeRow(row)) io.err(printable(line))
  const counts = [
    `${offered.length} offered`,
    `${held.length} held`,
    `${hidden.length} hidden by rules`,
    `${leftOut.length} broken`,
  ]
  io.out(options.held ? `${held.length} held` : counts.join(', '))
  return code
}

/** All that is different, however long: nobody can consent to what is not shown. */
function describeHeld({ server, tool, changes, copyOf }: HeldTool): readonly string[] {
  const why = copyOf === undefined ? 'it is not what was approved' : `it is new, and the same as ${copyOf}`
  return [
    `${'held'.padEnd(7)}${tool} of ${server}: ${why}`,
    ...changes.flatMap(({ field, before, after }) => [
      indent(`${field} was ${JSON.stringify(before) ?? 'nothing'}`),
      indent(`${field} is  ${JSON.stringify(after) ?? 'nothing'}`),
    ]),
  ]
}

/** Tells versions of a held tool apart: what a person has seen from what the server says the next time it is started. */
function digestOf({ tool, changes, copyOf }: HeldTool): string {
  return createHash('sha256')
    .update(JSON.stringify([tool, changes, copyOf ?? null]))
    .digest('hex')
    .slice(0, 16)
}

function nameWithDigest(held: HeldTool): string {
  const text = `${held.tool}@${digestOf(held)}`
  return /^[\w@./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** The person names each tool, with the digest of what was shown or as it is now, and sees what it was and what it is. */
async function approveHeld(
  server: string,
  wanted: readonly string[],
  { json }: ToolsOptions,
  { client }: RunningServers,
  io: Io,
): Promise<number> {
  const held = client.held().filter((each) => each.server === server)
  const digested = (name: string) => (each: HeldTool) => name === `${each.tool}@${digestOf(each)}`
  const fits = (name: string) => (each: HeldTool) => each.tool === name || each.name === name || digested(name)(each)
  const unknown = wanted.find((name) => !held.some(fits(name)))
  if (unknown !== undefined) {
    const changed = held.find(({ tool }) => unknown.startsWith(`${tool}@`))
    if (changed) {
      for (const line of describeHeld(changed)) io.err(printable(line))
      io.err(
        printable(
          `ext: \`${changed.tool}\` is not what was shown; nothing was approved. Now it is ${nameWithDigest(changed)}.`,
        ),
      )
      return 1
    }
    const meant = suggest(
      unknown,
      held.map(({ tool }) => tool),
    )
    const rest = meant ? `Did you mean \`${meant}\`?` : `Run ext mcp tools ${server} --held to see what does.`
    io.err(printable(`ext: No tool \`${unknown}\` of \`${server}\` waits for approval. ${rest}`))
    return 2
  }
  const chosen = held.filter((each) => wanted.some((name) => fits(name)(each)))
  for (const each of chosen) for (const line of describeHeld(each)) io.err(printable(line))
  const approved = await client.approve(server, chosen)
  if (json) io.out(JSON.stringify({ approved }, null, 2))
  else for (const { name } of approved) io.out(printable(`approved  ${name}`))
  return 0
}
