import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunEvent } from '@ext/agent-core/types'
import type { UserPort } from '@ext/permission'
import { renderCatalog } from '@ext/skills'
import { compose, type Extensions } from '../compose.js'
import { judge } from '../demo/points.js'
import { makeDemoProject } from '../demo/project.js'
import type { Io } from '../io.js'
import { describeDiagnostics, shorten } from '../render/diagnostics.js'
import { createTranscript } from '../render/transcript.js'
import { indent } from '../render/words.js'

const PROMPT = 'Prepare the release of Paper Boat 1.2.0.'

/** The main job in one go: real files, a real server, real hooks, a scripted model and a scripted user. */
export async function demo(options: { readonly keep: boolean }, io: Io): Promise<number> {
  const project = await makeDemoProject()
  try {
    return await play(project, io)
  } finally {
    if (options.keep) {
      io.out(`\nThe project stays at ${project}. Run it again with:`)
      io.out(`  ext run --project ${project} --trust-project "${PROMPT}"`)
    } else {
      await rm(project, { recursive: true, force: true })
    }
  }
}

async function play(project: string, io: Io): Promise<number> {
  io.out(`A throw-away project with real files: ${project}`)
  io.out('It is approved, since this demo wrote it. `ext run` approves nothing unless you say --trust-project.\n')
  const extensions = await compose({
    project,
    trustProject: true,
    connect: true,
    command: 'ext demo',
    report: io.err,
    user: yesOnce(),
  })
  try {
    await showConfiguration(extensions, io)
    const chosen = await extensions.models.choose()
    if ('problem' in chosen) {
      io.err(`ext: ${chosen.problem}`)
      return 1
    }
    io.out('The session')
    const agent = await extensions.createAgent(chosen, {})
    const session = agent.session({ cwd: project, permissionMode: extensions.permission.defaultMode })
    extensions.attach(session)
    const transcript = createTranscript(project)
    const events: RunEvent[] = []
    const show = (event: RunEvent) => {
      events.push(event)
      for (const line of transcript.add(event)) io.out(`  ${line}`)
    }
    for await (const event of session.run(PROMPT, { signal: io.signal })) show(event)
    for (const event of await agent.close()) show(event)
    return await showPoints(extensions, events, io)
  } finally {
    await extensions.close()
  }
}

/** The scripted user: yes to the first question, no to any other. */
function yesOnce(): UserPort {
  let answered = false
  return {
    async ask() {
      if (answered) return { behavior: 'deny', reason: 'The scripted user answers one question only.' }
      answered = true
      return { behavior: 'allow' }
    },
  }
}

function catalogOf(extensions: Extensions): string {
  return renderCatalog(extensions.skills.snapshot, { tokens: 2000 }).text
}

async function showConfiguration(extensions: Extensions, io: Io): Promise<void> {
  const short = shorten(extensions.locations.project)
  io.out('What the configuration came to')
  for (const server of extensions.mcp?.status() ?? []) {
    io.out(`  mcp         ${server.name} is ${server.state} with ${server.tools} tools`)
  }
  for (const { axis, name, verdict } of extensions.records) io.out(`  ${axis.padEnd(12)}${short(name)}: ${verdict}`)
  io.out('\nThe skill catalogue, as the model reads it')
  io.out(indent(catalogOf(extensions)))
  io.out('\nWhat is broken, and costs nothing else')
  const problems = extensions.diagnostics().filter((diagnostic) => diagnostic.severity !== 'info')
  for (const text of await describeDiagnostics(problems, short)) io.out(`${indent(text)}\n`)
}

async function showPoints(extensions: Extensions, events: readonly RunEvent[], io: Io): Promise<number> {
  const { project } = extensions.locations
  const edits = await readFile(join(project, 'edits.log'), 'utf8').catch(() => undefined)
  const points = judge({ events, catalog: catalogOf(extensions), diagnostics: extensions.diagnostics(), edits })
  const short = shorten(project)
  io.out('\nWhat was seen')
  for (const [index, { claim, evidence }] of points.entries()) {
    io.out(`  ${index + 1}. ${claim}`)
    io.out(`     ${evidence === undefined ? 'NOT SEEN' : short(evidence)}`)
  }
  return points.every((point) => point.evidence !== undefined) ? 0 : 1
}
