import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { ProjectFile } from '@ext/agent-core/instructions'
import { createReporter, type Diagnostic, isForeignLayer } from '@ext/kernel'
import type { FilesPort, LayerName, SnapshotEntry } from '@ext/kernel/types'
import { diagnosticCodes } from '../codes.js'
import type { Locations, Place } from '../locations.js'
import { type ClaudePart, type CompatSwitch, type CompatSwitches, loadCompat } from './switches.js'

const report = createReporter(diagnosticCodes)

/** Where configuration is read, once it is known what is switched off. */
export interface Reading {
  readonly locations: Locations
  readonly compat: CompatSwitches
  /** A word about each switch that keeps something from being read. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Takes out what `compat` switches off. */
export async function withoutSwitchedOff(all: Locations, files: FilesPort): Promise<Reading> {
  const compat = await loadCompat(all.config, files)
  const left = new Map<SnapshotEntry<CompatSwitch>, Set<string>>()
  const isRead = (part: ClaudePart, layer: LayerName, path: string): boolean => {
    const off = compat.offBy(part, layer)
    if (!off) return true
    left.set(off, (left.get(off) ?? new Set()).add(`${part}: ${path}`))
    return false
  }
  const only = (part: ClaudePart, places: readonly Place[]) =>
    places.filter(({ layer, path }) => !isClaudes(path) || isRead(part, layer, path))
  const projectFiles = Object.entries(CLAUDE_INSTRUCTIONS) as [ProjectFile, LayerName][]
  const locations: Locations = {
    ...all,
    claudeHooks: only('hooks', all.claudeHooks),
    claudePermissions: only('permissions', all.claudePermissions),
    claudeMcp: only('mcpServers', all.claudeMcp),
    claudeMcpSettings: only('mcpServers', all.claudeMcpSettings),
    claudeUnread: all.claudeUnread.filter(({ layer }) => compat.offBy('mcpServers', layer) === undefined),
    skills: only('skills', all.skills),
    agents: only('agents', all.agents),
    instructions: {
      user: all.instructions.user.filter((path) => !isClaudes(path) || isRead('instructions', 'user', path)),
      leaveOut: projectFiles.flatMap(([name, layer]) =>
        isRead('instructions', layer, join(all.project, name)) ? [] : [name],
      ),
    },
  }
  return { locations, compat, diagnostics: [...left].flatMap(([off, paths]) => describeOff(off, [...paths])) }
}

/** Whose the instruction files of Claude Code in a project are. */
const CLAUDE_INSTRUCTIONS: Readonly<Partial<Record<ProjectFile, LayerName>>> = {
  'CLAUDE.md': 'project',
  '.claude/CLAUDE.md': 'project',
  'CLAUDE.local.md': 'local',
}

/** A project may lie below a folder of this name, as worktrees do. */
function isClaudes(path: string): boolean {
  const file = basename(path)
  return basename(dirname(path)) === '.claude' || file === '.mcp.json' || file === 'managed-settings.json'
}

/** Says which files are left out, if there are any. */
function describeOff(off: SnapshotEntry<CompatSwitch>, paths: readonly string[]): readonly Diagnostic[] {
  const there = paths.filter((each) => existsSync(each.slice(each.indexOf(' ') + 1)))
  if (there.length === 0) return []
  const message = `These files of Claude Code are not read, by part: ${there.join(', ')}.`
  const { layer } = off.source
  const own = isForeignLayer(layer) ? ' Your own in ~/.claude are read all the same.' : ''
  const hint = `Remove the switch, or write true, to have them read.${own}`
  return [report.info('cli.compat.off', off.at(), message, { entry: off.id, hint })]
}
