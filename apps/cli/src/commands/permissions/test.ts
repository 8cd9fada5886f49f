import { resolve } from 'node:path'
import { nodeFiles, nodePorts } from '@ext/kernel/node'
import type { ConformanceScore } from '@ext/permission/conformance'
import type { Io } from '../../io.js'
import { describeDiagnostics, shorten } from '../../render/diagnostics.js'
import { jsonDiagnostics } from '../../render/json.js'
import { count, oneLine, printable } from '../../render/words.js'
import { withExtensions } from '../read-extensions.js'

export interface TestOptions {
  readonly project: string
  readonly corpus?: string
  readonly json?: boolean
}

export async function test(options: TestOptions, io: Io): Promise<number> {
  return options.corpus === undefined ? testRules(options, io) : testCorpus(options.corpus, options, io)
}

async function testRules(options: TestOptions, io: Io): Promise<number> {
  return withExtensions({ project: options.project, trustProject: true }, io, async (extensions) => {
    const { tools, locations } = extensions
    const { testRules: run } = await import('@ext/permission/lint')
    const layers = [...locations.config, ...locations.claudePermissions]
    const { total, failed, diagnostics } = await run({ layers, tools, cwd: locations.project, ports: nodePorts() })
    const broken = diagnostics.filter(({ severity }) => severity === 'error')
    const shown = [...failed, ...broken]
    if (options.json) {
      io.out(JSON.stringify({ total, failed: failed.length, diagnostics: jsonDiagnostics(shown) }, null, 2))
    } else {
      for (const text of await describeDiagnostics(shown, shorten(locations.project))) io.out(`${text}\n`)
      io.out(
        total === 0
          ? 'No rule has tests. Write `tests: {match: [], notMatch: []}` beside a rule in `permissions.rules`.'
          : `${count(total, 'test')} of rules, ${failed.length} failed`,
      )
    }
    return shown.length > 0 ? 1 : 0
  })
}

async function testCorpus(corpus: string, options: TestOptions, io: Io): Promise<number> {
  const file = resolve(corpus)
  const read = await nodeFiles().readText(file, { maxBytes: MAX_CORPUS_BYTES })
  if (read.failure) {
    io.err(`ext: The corpus ${file} can't be read: ${read.message} Name a file with one JSON object a line.`)
    return 2
  }
  const { readCorpus, runConformance } = await import('@ext/permission/conformance')
  const { rows, diagnostics } = readCorpus(read.text, file)
  const score = await runConformance(rows)
  if (options.json) {
    io.out(JSON.stringify({ ...score, diagnostics: jsonDiagnostics(diagnostics) }, null, 2))
  } else {
    for (const text of await describeDiagnostics(diagnostics, (each) => each)) io.out(`${text}\n`)
    for (const line of describeScore(score)) io.out(printable(line))
  }
  return score.wrong.length + diagnostics.length > 0 ? 1 : 0
}

const MAX_CORPUS_BYTES = 64 * 1024 * 1024

function describeScore({ total, right, unsafeAllow, overBlock, wrong }: ConformanceScore): readonly string[] {
  return [
    ...wrong.map(({ id, expected, got, reason }) => `${id}: ${got}, expected ${expected}. ${oneLine(reason, 300)}`),
    ...(wrong.length > 0 ? [''] : []),
    `${right} of ${total} right, ${count(unsafeAllow.length, 'unsafe allow')}, ${overBlock.length} over-blocked`,
  ]
}
