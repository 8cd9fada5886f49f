import { createPace, createReporter, hasErrors, isMap, lookAtHeads, sortDiagnostics } from '@ext/kernel'
import { samenessOfNames } from '@ext/kernel/match'
import type { Diagnostic, FilesPort, FolderSource, HostPorts } from '@ext/kernel/types'
import { diagnosticCodes } from '../codes.js'
import { compileSkill } from '../compile.js'
import type { CompileContext } from '../config/context.js'
import { nameOf, type SkillHeader, validateHeader } from '../config/header.js'
import { createRuleLanguage } from '../config/rule-language.js'
import { findSkills } from '../find/find.js'
import { DEFAULT_LIMITS, type SearchLimits } from '../find/limits.js'
import { baseName, folderOf, joinPath } from '../find/paths.js'
import { findReports } from '../find/reports.js'
import { findSkillFile, isSkillFile } from '../find/skill-file.js'
import { foldName } from '../names.js'
import { notRead, openText } from '../reader.js'
import type { Skill } from '../types.js'
import { checkBody, checkHooks } from './body.js'
import { checkClaudeCode } from './profiles/claude-code.js'
import { checkPortable } from './profiles/portable.js'
import type { LintProfile, LintSubject } from './subject.js'

const report = createReporter(diagnosticCodes)

/** Files that are held in memory at once. */
const AT_ONCE = 32

export interface LintOptions {
  /** SKILL.md files, folders of skills, or folders that hold such folders. Absolute. */
  readonly paths: readonly string[]
  readonly ports: Pick<HostPorts, 'files'> & Partial<Pick<HostPorts, 'home' | 'platform'>>
  /**
   * - `lenient` (default): what `loadSkills` says, and what can be said of the body
   * - `portable`: also the open Agent Skills format, strictly
   * - `claude-code`: also what Claude Code reads in another way
   */
  readonly profile?: LintProfile
  /** Names of the host's own tools, besides the well-known ones. */
  readonly knownTools?: readonly string[]
  readonly limits?: Partial<SearchLimits>
}

export interface LintedSkill {
  /** What its header or else its folder says. */
  readonly name: string
  readonly path: string
  /** False: an error speaks against it. */
  readonly loaded: boolean
}

export interface LintReport {
  readonly found: number
  readonly loaded: number
  /** In the order in which they are found. */
  readonly skills: readonly LintedSkill[]
  /** Errors first, then by place. Each has a hint how to fix it. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Looks at skills as files, without a host. Bad files never reject. */
export async function lintSkills(options: LintOptions): Promise<LintReport> {
  const { ports, profile = 'lenient', knownTools = [] } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const context: CompileContext = {
    projectDir: '/',
    home: ports.home ?? '/',
    ignoreCase: samenessOfNames(ports.platform ?? 'linux').ignoreCase,
    language: createRuleLanguage(),
    trusted: () => false,
    knownTools: () => knownTools,
  }
  const found = await filesBelow(options.paths, ports.files, limits)
  const skills: LintedSkill[] = found.broken.map((path) => ({ name: baseName(folderOf(path)), path, loaded: false }))
  const diagnostics: Diagnostic[] = [...found.diagnostics]
  const pace = createPace()
  for (let start = 0; start < found.files.length; start += AT_ONCE) {
    const paths = found.files.slice(start, start + AT_ONCE)
    // The whole text: the end of the head is never there.
    const options = { end: () => undefined, maxBytes: limits.fileBytes }
    const looks = await lookAtHeads(ports.files, paths, options)
    for (const [index, path] of paths.entries()) {
      if (pace.isDue()) await pace.turn()
      const look = looks[index]
      const source = { layer: 'project', dialect: 'skills', file: path } as const
      if (look?.state !== 'read') {
        const { failure = 'unreadable', message = 'No answer.' } = look?.state === 'failed' ? look : {}
        diagnostics.push(notRead(source, failure, message))
        skills.push({ name: baseName(folderOf(path)), path, loaded: false })
        continue
      }
      const linted = await lintText(look.text, path, profile, context)
      diagnostics.push(...linted.diagnostics)
      skills.push({ name: linted.name, path, loaded: linted.loads && !hasErrors(linted.diagnostics) })
    }
  }
  diagnostics.push(...twice(skills))
  const loaded = skills.filter((each) => each.loaded).length
  return { found: skills.length, loaded, skills, diagnostics: sortDiagnostics(diagnostics) }
}

interface FoundFiles {
  readonly files: readonly string[]
  /** Files that can't be skills where they are. */
  readonly broken: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

async function filesBelow(paths: readonly string[], files: FilesPort, limits: SearchLimits): Promise<FoundFiles> {
  const single: string[] = []
  const roots: FolderSource[] = []
  const broken: string[] = []
  const diagnostics: Diagnostic[] = []
  for (const path of paths) {
    const root: FolderSource = { kind: 'folder', layer: 'project', dialect: 'skills', path }
    if (isSkillFile({ name: baseName(path), kind: 'file' })) {
      single.push(path)
      continue
    }
    const items = await files.list(path)
    if (!items) {
      diagnostics.push(await notASkill(path, files))
      continue
    }
    const own = findSkillFile(items)
    if (!own) {
      roots.push(root)
      continue
    }
    const file = joinPath(path, own.item.name)
    if (own.problem === 'ambiguous') {
      broken.push(file)
      diagnostics.push(findReports(root).ambiguous(file))
      continue
    }
    if (own.problem === 'case') diagnostics.push(findReports(root).wrongCase(file))
    single.push(file)
  }
  const found = await findSkills(roots, files, limits)
  for (const root of roots) {
    const { skills = [], broken: misplaced = [], diagnostics: said = [] } = found.get(root) ?? {}
    for (const { file } of skills.toReversed()) single.push(file)
    broken.push(...misplaced.map(({ file }) => file))
    const own = [...said, ...misplaced.map(({ diagnostic }) => diagnostic)]
    diagnostics.push(...own)
    if (skills.length + own.length === 0) diagnostics.push(nothingBelow(root.path))
  }
  return { files: [...new Set(single)], broken, diagnostics }
}

/** Why a path that somebody named is neither a skill nor a folder. */
async function notASkill(path: string, files: FilesPort): Promise<Diagnostic> {
  const source = { layer: 'project', file: path } as const
  if ((await files.realPath(path)) === undefined) {
    const hint = 'Name a SKILL.md, the folder of a skill, or a folder of such folders.'
    return report.error('skills.lint.no-path', source, 'There is nothing at this path.', { hint })
  }
  const { text } = await files.readText(path)
  if (text === undefined)
    return findReports({ kind: 'folder', layer: 'project', dialect: 'skills', path }).unreadable(path)
  const hint = 'A skill is a file SKILL.md in a folder of its own; name one of them.'
  return report.error('skills.lint.no-path', source, 'This file is no skill, since it is not called SKILL.md.', {
    hint,
  })
}

function nothingBelow(path: string): Diagnostic {
  return report.warning(
    'skills.lint.nothing',
    { layer: 'project', file: path },
    'There is no skill below this folder.',
    {
      hint: 'Name a folder that holds folders with a SKILL.md each.',
    },
  )
}

interface LintedText {
  readonly name: string
  readonly loads: boolean
  readonly diagnostics: readonly Diagnostic[]
}

async function lintText(
  text: string,
  file: string,
  profile: LintProfile,
  context: CompileContext,
): Promise<LintedText> {
  const source = { layer: 'project', dialect: 'skills', file } as const
  const opened = await openText(text, source, context.language)
  const diagnostics: Diagnostic[] = [...opened.diagnostics]
  const { entry } = opened
  if (!entry || !isMap(entry.value)) return { name: baseName(folderOf(file)), loads: false, diagnostics }
  const header = { ...entry, value: entry.value }
  const validated = validateHeader(entry)
  diagnostics.push(...validated.diagnostics)
  let skill: Skill | undefined
  if (validated.value) {
    const compiled = compileSkill({ ...entry, value: validated.value }, context)
    diagnostics.push(...compiled.diagnostics)
    skill = compiled.value
  }
  const head = text.slice(0, text.length - opened.body.length)
  const subject: LintSubject = {
    file,
    text,
    body: opened.body,
    bodyLine: head.split('\n').length,
    rescued: diagnostics.flatMap(({ code, pointer = '' }) => (code === 'frontmatter.rescued' ? [pointer] : [])),
    header,
  }
  if (profile === 'portable') diagnostics.push(...checkPortable(subject))
  if (profile === 'claude-code') diagnostics.push(...checkClaudeCode(subject))
  diagnostics.push(...checkHooks(subject), ...checkBody(subject, skill))
  const name = validated.value ? nameOf({ ...entry, value: validated.value }) : writtenName(entry.value, file)
  return { name, loads: skill !== undefined, diagnostics: diagnostics.filter(notSaidBetter(profile)) }
}

function writtenName(header: Readonly<Partial<SkillHeader>>, file: string): string {
  return typeof header.name === 'string' && header.name !== '' ? header.name : baseName(folderOf(file))
}

/** What the strict profile says as an error need not be said a second time. */
function notSaidBetter(profile: LintProfile): (diagnostic: Diagnostic) => boolean {
  const doubles: readonly string[] = [
    'schema.unknown-key',
    'skills.name.mismatch',
    'skills.name.long',
    'skills.description.long',
    'frontmatter.rescued',
  ]
  return ({ code }) => profile !== 'portable' || !doubles.includes(code)
}

/** Two skills of one name in what is looked at together: only one of them takes effect. */
function twice(skills: readonly LintedSkill[]): readonly Diagnostic[] {
  const first = new Map<string, string>()
  return skills.flatMap(({ name, path, loaded }) => {
    const other = loaded ? first.get(foldName(name)) : undefined
    if (loaded && other === undefined) first.set(foldName(name), path)
    if (other === undefined) return []
    const place = { layer: 'project', file: path, line: 1, column: 1 } as const
    return [
      report.info(
        'skills.name.twice',
        place,
        `Another skill here is called \`${name}\` too; one of them takes effect.`,
        {
          hint: 'Give one of them another name, or keep them in places of their own.',
          related: [{ message: 'the other one', source: { layer: 'project', file: other, line: 1, column: 1 } }],
        },
      ),
    ]
  })
}
