import type { RunTerms } from '@ext/kernel/contract'
import type { ActiveSkills } from '../active/active-skills.js'
import { foldName } from '../names.js'
import { fillBody } from '../render/body.js'
import { hasCommands } from '../render/command.js'
import { frame } from '../render/frame.js'
import { runCommands } from '../render/run-commands.js'
import { listResources, NO_RESOURCES } from '../resources.js'
import type { Activated, ActivateOptions, Refused, Skill, SkillGateSession } from '../types.js'
import { admit } from './admit.js'
import { noRunner } from './fork.js'
import type { SessionHost } from './host.js'
import { lookUp, wrongDoor } from './lookup.js'
import { readVersion, type SkillVersion } from './read.js'
import { bringsOf, limitsOf } from './terms.js'

export interface ActivateParts {
  readonly host: SessionHost
  readonly active: ActiveSkills
  readonly gate: SkillGateSession | undefined
  /** See {@link AdmitOptions.permittedAs}. */
  readonly permittedAs: string | undefined
  /** The run in which it was asked for. */
  readonly run: number
}

/** A skill that is ready to be run in a sub-agent. */
export interface ReadyToFork {
  readonly mode: 'ready to fork'
  readonly skill: Skill
  readonly text: string
  readonly stale: string | undefined
}

/** Both doors lead here: finds, reads, asks permission, fills in, and makes active what is not to be forked. */
export async function activate(
  name: string,
  options: ActivateOptions,
  parts: ActivateParts,
): Promise<Activated | Refused | ReadyToFork> {
  const { host, active, gate, permittedAs, run } = parts
  const { via, args = '', signal } = options
  const found = lookUp(host.loaded().snapshot, name, via)
  if (found.refused) return found.refused
  const known = found.entry.value.name
  const version = await readVersion(found.entry, active.lastGood(known), host)
  if (version.refused) return version.refused
  const { skill, body, stale } = version
  const refused = wrongDoor(skill, via) ?? (skill.mode === 'fork' && !host.runner ? noRunner(skill) : undefined)
  if (refused) return refused
  const terms = [...(options.terms ?? []), ...active.terms()]
  // An edit may have given it another name; what is said about either of them counts.
  for (const named of foldName(skill.name) === foldName(known) ? [skill] : [found.entry.value, skill]) {
    const denied = await admit(named, gate, { via, args, terms, signal, permittedAs })
    if (denied) return denied
  }
  active.keep(known, { skill, body })

  const text = await render(version, options, terms, parts)
  signal?.throwIfAborted()
  if (skill.mode === 'fork') return { mode: 'ready to fork', skill, text, stale }
  const before = active.get(known)
  active.add({ skill, text, via, run })
  return Object.freeze({
    mode: 'inline',
    skill,
    text,
    unchanged: before?.text === text,
    ...(stale === undefined ? {} : { stale }),
    // The skill is active by now, whatever becomes of the list.
    ...(await listResources(skill, host.files).catch(() => NO_RESOURCES)),
  })
}

async function render(
  { skill, body }: SkillVersion,
  { args = '', signal }: ActivateOptions,
  terms: readonly RunTerms[],
  { host, gate }: ActivateParts,
): Promise<string> {
  const { commands, ref, projectDir, tools } = host
  const mayRun = commands !== undefined && gate !== undefined && skill.trusted
  const values = { args, argumentNames: skill.argumentNames, skillDir: skill.folder, projectDir, sessionId: ref.id }
  const { parts, unusedArguments } = fillBody(body, values, { commands: mayRun })
  const filled = mayRun
    ? await runCommands(skill, parts, {
        host: commands,
        gate,
        ref,
        tools,
        terms: [...terms, ...limitsOf(skill), ...bringsOf(skill)],
        signal,
      })
    : parts.join('')
  const why = commands && gate ? 'not approved' : 'switched off'
  return frame(skill, filled, { unusedArguments, commandsNotRun: !mayRun && hasCommands(body) ? why : undefined })
}
