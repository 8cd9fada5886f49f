import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { createReporter, type Diagnostic } from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import type { Locations, Place } from '../locations.js'

const report = createReporter(diagnosticCodes)

/**
 * Files that would be read if the session were in a folder above the project: whoever starts in a folder of a repository might
 * think that the rules and hooks at its root hold there. Skills, agents and instructions of these folders are read.
 */
export function filesAbove(locations: Locations): readonly Diagnostic[] {
  const { project, repository, config, claudeHooks, claudePermissions, claudeMcp } = locations
  const all = [...config, ...claudeHooks, ...claudePermissions, ...claudeMcp]
  const read = new Set(all.map(({ path }) => path))
  const ofProject = [...new Map(all.filter(isOfProject).map((place) => [place.path, place])).values()]
  return foldersAbove(project, repository).flatMap((folder) =>
    ofProject.flatMap(({ path, layer }) => {
      const file = join(folder, relative(project, path))
      if (read.has(file) || !existsSync(file)) return []
      const message = 'This file lies above the folder of the session and is not read, so nothing of it holds here.'
      const hint = `Start in ${folder}, or with --project ${folder}, if it is to hold.`
      return [report.warning('cli.file.above', { layer, file }, message, { hint })]
    }),
  )
}

function isOfProject({ layer }: Place): boolean {
  return layer === 'project' || layer === 'local'
}

/** From the parent of the project up to the root of its repository. */
function foldersAbove(project: string, repository: string): readonly string[] {
  const folders: string[] = []
  for (let at = project; at !== repository && dirname(at) !== at; ) {
    at = dirname(at)
    folders.push(at)
  }
  return folders
}
