import type { Tool, ToolContext, ToolResult } from '@ext/kernel/contract'
import { compileFileGlob, compileRegex, type FileGlob, samenessOfNames } from '@ext/kernel/match'
import { defineTool, type InputOf } from '../../define-tool.js'
import type { FileHost } from '../files/host.js'
import { findPlace, noFile, type Place, showPath } from '../files/place.js'
import { count, done, problem, withNotes } from '../files/result.js'
import { type LineTests, matchingLines } from './matching-lines.js'
import { createReport, type OutputMode } from './report.js'
import { searchableText } from './searchable.js'
import { createTurns } from './turns.js'
import { describeNotes, joined, type WalkedFile, walk } from './walk.js'

const MODES = ['files_with_matches', 'content', 'count'] as const
const MAX_CONTEXT = 50
/** Lines of `content`, unless more are asked for. */
const DEFAULT_LINES = 250
/** Files that are read at once. */
const AT_ONCE = 8

function schemaOf(most: number) {
  return {
    type: 'object',
    properties: {
      pattern: {
        type: 'string',
        minLength: 1,
        description:
          'Regular expression (RE2: no look-around, no back-references), held against one line after another.',
      },
      path: { type: 'string', minLength: 1, description: 'Folder or file to search. Default: the working folder.' },
      glob: {
        type: 'string',
        minLength: 1,
        description: 'Only files that it names, such as `*.ts` or `src/**/*.{ts,tsx}`.',
      },
      output_mode: {
        type: 'string',
        enum: MODES,
        description: 'The files (default), the lines, or how many lines of each file.',
      },
      '-i': { type: 'boolean', description: 'Upper and lower case are the same.' },
      '-A': { type: 'integer', minimum: 0, maximum: MAX_CONTEXT, description: 'Lines behind each, in mode content.' },
      '-B': { type: 'integer', minimum: 0, maximum: MAX_CONTEXT, description: 'Lines before each, in mode content.' },
      '-C': {
        type: 'integer',
        minimum: 0,
        maximum: MAX_CONTEXT,
        description: 'Lines before and behind each, in mode content.',
      },
      head_limit: {
        type: 'integer',
        minimum: 1,
        maximum: most,
        description: `How many lines or files at most. Default ${Math.min(DEFAULT_LINES, most)} lines, ${most} files.`,
      },
    },
    required: ['pattern'],
    additionalProperties: false,
  } as const
}

type GrepInput = InputOf<ReturnType<typeof schemaOf>>

export function grepTool(host: FileHost): Tool {
  return defineTool({
    name: 'Grep',
    title: 'Search in files',
    description:
      'Finds lines by a regular expression. Hidden files are searched; what .gitignore names, what is behind links, binary files and very large ones are not. Sorted by name, folder by folder.',
    kind: 'read',
    inputSchema: schemaOf(host.limits.results),
    async run(input, context) {
      const { place, problem: nowhere } = await findPlace(input.path ?? '.', context.session, host)
      if (!place) return problem(nowhere)
      const isFolder = place.stat?.kind === 'folder'
      const missing = isFolder ? undefined : await noFile(place, context.session, host)
      if (missing !== undefined) return problem(missing)
      const tests = compilePattern(input.pattern, input['-i'] === true)
      if (typeof tests === 'string') return problem(`The pattern can't be used: ${tests}.`)
      const glob = input.glob === undefined ? undefined : compileFileGlob(input.glob, samenessOfNames(host.platform))
      if (glob?.never !== undefined) return problem(`The glob \`${input.glob}\` can match no file: ${glob.never}.`)
      return search(input, place, isFolder, tests, glob, context, host)
    },
  })
}

function compilePattern(pattern: string, ignoreCase: boolean): LineTests | string {
  const flags = ignoreCase ? 'i' : ''
  const line = compileRegex(flags ? `(?${flags})${pattern}` : pattern, { anchored: false })
  if (!line.matcher) return line.problem
  // Where the ends of a text are meant, or flags are changed, it does not mean the same in many lines at once.
  const many = /\\[AzZ]|\(\?[a-z]*[-s]/.test(pattern)
    ? undefined
    : compileRegex(`(?m${flags})${pattern}`, { anchored: false }).matcher
  return { line: line.matcher.test, ...(many ? { many: many.test } : {}) }
}

async function search(
  input: GrepInput,
  place: Place,
  isFolder: boolean,
  tests: LineTests,
  glob: FileGlob | undefined,
  { session, signal }: ToolContext,
  host: FileHost,
): Promise<ToolResult> {
  const mode: OutputMode = input.output_mode ?? 'files_with_matches'
  const { results, characters } = host.limits
  const around = input['-C'] ?? 0
  const report = createReport({
    mode,
    before: input['-B'] ?? around,
    after: input['-A'] ?? around,
    most: input.head_limit ?? (mode === 'content' ? Math.min(DEFAULT_LINES, results) : results),
    characters,
  })
  const notes = { closed: 0, hidden: 0, cutShort: false }
  const skipped = { binary: 0, large: [] as string[], unreadable: 0, longLines: 0 }
  const turns = createTurns(host.clock)
  const shownOf = (file: WalkedFile) =>
    isFolder ? showPath(joined(place.path, file.names.join('/')), session) : place.shown
  const files = isFolder ? walk(place, session, signal, host, notes) : single(place)
  for await (const group of inGroups(files, AT_ONCE, ({ names }) => !isFolder || (glob?.test(names) ?? true))) {
    const texts = await Promise.all(group.map((file) => searchableText(file.real, host)))
    for (const [index, file] of group.entries()) {
      signal.throwIfAborted()
      const found = texts[index]
      if (found?.text === undefined) {
        if (found?.skipped === 'large') skipped.large.push(shownOf(file))
        else if (found?.skipped === 'binary') skipped.binary++
        else skipped.unreadable++
        continue
      }
      const { lines, matching, tooLong } = await matchingLines(found.text, tests, turns, signal)
      skipped.longLines += tooLong
      if (matching.length > 0) report.add(shownOf(file), lines, matching)
      if (report.isFull) break
    }
    if (report.isFull) break
  }
  const none = report.isEmpty ? `No line in \`${place.shown}\` matches.` : ''
  return done(
    withNotes(none || report.text(), [
      report.cutNote(),
      ...describeSkipped(skipped, host),
      ...describeNotes(notes, host),
    ]),
  )
}

async function* single({ real }: Place): AsyncGenerator<WalkedFile> {
  yield { names: [], real }
}

async function* inGroups(
  files: AsyncIterable<WalkedFile>,
  size: number,
  wanted: (file: WalkedFile) => boolean,
): AsyncGenerator<readonly WalkedFile[]> {
  let group: WalkedFile[] = []
  for await (const file of files) {
    if (!wanted(file)) continue
    group.push(file)
    if (group.length < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

function describeSkipped(
  {
    binary,
    large,
    unreadable,
    longLines,
  }: { binary: number; large: readonly string[]; unreadable: number; longLines: number },
  { limits }: FileHost,
): readonly string[] {
  const names = large.slice(0, 5).join(', ') + (large.length > 5 ? ', …' : '')
  return [
    ...(binary > 0 ? [`not searched, since they are binary: ${count(binary, 'file')}`] : []),
    ...(large.length > 0
      ? [`not searched, since they are larger than ${count(limits.searchBytes, 'byte')}: ${names}`]
      : []),
    ...(unreadable > 0 ? [`can't be read: ${count(unreadable, 'file')}`] : []),
    ...(longLines > 0
      ? [`not searched, since they are longer than 65,536 characters: ${count(longLines, 'line')}`]
      : []),
  ]
}
