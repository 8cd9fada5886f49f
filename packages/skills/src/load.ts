import { ExtError, sortDiagnostics } from '@ext/kernel'
import { samenessOfNames } from '@ext/kernel/match'
import type { ConfigSource, FolderSource } from '@ext/kernel/types'
import { withoutRunner } from './activate/fork.js'
import type { Loaded } from './activate/host.js'
import { lookUp } from './activate/lookup.js'
import { withoutTrust } from './activate/terms.js'
import { unapprovedSkills } from './activate/unapproved.js'
import { type Catalog, type CatalogOptions, catalogBudget, checkBudget, renderCatalog } from './catalog.js'
import type { CompileContext } from './config/context.js'
import { HostAnswers } from './config/host-answers.js'
import { createRuleLanguage } from './config/rule-language.js'
import { explainName } from './explain.js'
import { DEFAULT_LIMITS } from './find/limits.js'
import { foldName } from './names.js'
import { createSkillSearch } from './search/search.js'
import { createSession } from './session.js'
import { type ReadSkills, snapshotReader } from './snapshot.js'
import type { Skills, SkillsOptions } from './types.js'

/**
 * Finds the skills of all layers and reads their headers. What is wrong with a skill costs that skill only and is in
 * the diagnostics.
 * @throws ExtError `skills.layers.kind` for a layer that is no folder, `skills.options.tokens` for a bad budget
 */
export async function loadSkills(options: SkillsOptions): Promise<Skills> {
  const { ports, projectDir, catalogFormat: format = 'markdown' } = options
  const tokens = catalogBudget(options.catalogTokens, options.contextTokens)
  checkBudget(tokens)
  const roots = lastOfEach(options.layers.map(folderOnly))
  const answers = new HostAnswers(options)
  const context = compileContext(options, answers)
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const disabled = new Set(options.disabled?.map(foldName))
  const read = snapshotReader(roots, { files: ports.files, context, limits, disabled })
  const load = async (before?: Current): Promise<Current> => {
    answers.forget()
    const skills = await read()
    return before && before.snapshot === skills.snapshot ? before : toCurrent(skills, { tokens, format })
  }
  let current: Current = await load()
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
        maxBytes: limits.fileBytes,
        context,
        ...host,
        loaded: () => current,
        catalogOf: (hides) => renderCatalog(current.snapshot, { tokens, format, hides }),
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
        ...withoutTrust(snapshot),
        ...(options.runner ? [] : withoutRunner(snapshot)),
        ...answers.diagnostics(),
      ])
    },
    searchSkills: (query, own) => current.search.search(query, own),
    unapproved: () =>
      unapprovedSkills(current.snapshot, {
        files: ports.files,
        language: context.language,
        maxBytes: limits.fileBytes,
      }),
    explain: (name) => explainName({ snapshot: current.snapshot, copies: current.copies, roots }, name),
    reload() {
      // One after the other, so that what was read last is what stays.
      const next = reloading.then(async () => {
        current = await load(current)
      })
      reloading = next.catch(() => {})
      return next
    },
  }
}

interface Current extends Loaded {
  readonly copies: ReadonlySet<string>
}

/** The catalog and the index cost something, so they are made when somebody asks. */
function toCurrent({ snapshot, copies }: ReadSkills, options: CatalogOptions): Current {
  let catalog: Catalog | undefined
  let conditional: Loaded['conditional'] | undefined
  return {
    snapshot,
    copies,
    search: createSkillSearch(snapshot),
    get catalog() {
      catalog ??= renderCatalog(snapshot, options)
      return catalog
    },
    get conditional() {
      // Asked at each call of a tool, and as a rule there are none among thousands.
      conditional ??= snapshot.entries.filter(({ value }) => value.paths)
      return conditional
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

/** A folder that is named twice in a layer counts where it is named last; nothing is found in it a second time. */
function lastOfEach(roots: readonly FolderSource[]): readonly FolderSource[] {
  const keyOf = ({ layer, path }: FolderSource) => `${layer}:${path}`
  const last = new Map(roots.map((root) => [keyOf(root), root]))
  return roots.filter((root) => last.get(keyOf(root)) === root)
}

function compileContext({ ports, projectDir }: SkillsOptions, answers: HostAnswers): CompileContext {
  const { home = projectDir, platform = 'linux' } = ports
  return {
    projectDir,
    home,
    ignoreCase: samenessOfNames(platform).ignoreCase,
    language: createRuleLanguage(),
    trusted: (source) => answers.trusted(source),
    knownTools: () => answers.knownTools(),
  }
}
