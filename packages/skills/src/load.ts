import { definePipeline, ExtError, sortDiagnostics } from '@ext/kernel'
import { samenessOfNames } from '@ext/kernel/match'
import type { ConfigSource, Diagnostic, FilesPort, FolderSource, Snapshot } from '@ext/kernel/types'
import { withoutRunner } from './activate/fork.js'
import type { Loaded } from './activate/host.js'
import { lookUp } from './activate/lookup.js'
import { renderCatalog } from './catalog.js'
import { compileSkill } from './compile.js'
import type { CompileContext } from './config/context.js'
import { nameOf, validateHeader } from './config/header.js'
import { knownToolNames } from './config/known-tools.js'
import { createRuleLanguage } from './config/rule-language.js'
import { findSkills } from './find/find.js'
import { foldName } from './names.js'
import { skillsReader } from './reader.js'
import { createSession } from './session.js'
import type { Skill, Skills, SkillsOptions } from './types.js'

const DEFAULT_CATALOG_TOKENS = 2000

/**
 * Finds the skills of all layers and reads their headers. What is wrong with a skill costs that skill only and is in
 * the diagnostics.
 * @throws ExtError `skills.layers.kind` for a layer that is no folder, `skills.options.tokens` for a bad budget
 */
export async function loadSkills(options: SkillsOptions): Promise<Skills> {
  const { ports, projectDir, catalogTokens = DEFAULT_CATALOG_TOKENS } = options
  const roots = options.layers.map(folderOnly)
  const context = compileContext(options)
  const read = snapshotReader(roots, ports.files, context)
  const load = async (): Promise<Loaded> => {
    const snapshot = await read()
    return { snapshot, catalog: renderCatalog(snapshot, { tokens: catalogTokens }) }
  }
  let current = await load()
  let reloading: Promise<void> = Promise.resolve()
  const host = {
    tools: options.tools ?? {},
    gate: options.permission,
    runner: options.runner,
    commands: options.commands,
    forks: new Map(),
  }

  return {
    session: (ref) =>
      createSession({
        ref,
        files: ports.files,
        projectDir,
        context,
        ...host,
        loaded: () => current,
        catalogOf: (entries) => renderCatalog({ ...current.snapshot, entries }, { tokens: catalogTokens }),
      }),
    lookUp(name, via) {
      const found = lookUp(current.snapshot, name, via)
      return found.refused ?? { skill: found.entry.value }
    },
    get snapshot() {
      return current.snapshot
    },
    get diagnostics() {
      const { snapshot, catalog } = current
      return sortDiagnostics([
        ...snapshot.diagnostics,
        ...catalog.diagnostics,
        ...(options.runner ? [] : withoutRunner(snapshot)),
      ])
    },
    reload() {
      // One after the other, so that what was read last is what stays.
      const next = reloading.then(async () => {
        current = await load()
      })
      reloading = next.catch(() => {})
      return next
    },
  }
}

function folderOnly(layer: ConfigSource): FolderSource {
  if (layer.kind === 'folder') return layer
  throw new ExtError(
    'skills.layers.kind',
    `Expected \`layers\` to hold folders only; there is one of kind \`${layer.kind}\`.`,
  )
}

function compileContext({ ports, projectDir, trusted, knownTools }: SkillsOptions): CompileContext {
  const { home = projectDir, platform = 'linux' } = ports
  return {
    projectDir,
    home,
    ignoreCase: samenessOfNames(platform).ignoreCase,
    language: createRuleLanguage(),
    trusted: (source) => trusted?.(source) === true,
    ...(knownTools ? knownToolNames(() => knownTools()) : {}),
  }
}

/** Reads all roots, each time with what was read before. One call at a time. */
function snapshotReader(
  roots: readonly FolderSource[],
  files: FilesPort,
  context: CompileContext,
): () => Promise<Snapshot<Skill>> {
  const digests = new Map<string, string>()
  let found: Awaited<ReturnType<typeof findSkills>> = new Map()
  let previous: Snapshot<Skill> | undefined
  const pipeline = definePipeline({
    axis: 'skills',
    readers: [
      { dialect: 'skills', read: (root, port) => skillsReader(found, digests, context.language).read(root, port) },
    ],
    validate: validateHeader,
    identity: (entry) => foldName(nameOf(entry)),
    merge: 'override',
    // Reading a skill runs nothing. What it grants and runs waits for trust, which is asked when it is compiled.
    needsConsent: () => false,
    compile: (entry, own: CompileContext) => compileSkill(entry, own),
  })
  const isCopy = ({ code, source, related }: Diagnostic) =>
    code === 'config.entry.shadowed' && digests.get(source.file ?? '') === digests.get(related?.[0]?.source.file ?? '')
  return async () => {
    found = await findSkills(roots, files)
    previous = await pipeline.load(roots, context, { files }, previous ? { previous } : {})
    return Object.freeze({ ...previous, diagnostics: previous.diagnostics.filter((each) => !isCopy(each)) })
  }
}
