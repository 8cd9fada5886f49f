import type { Diagnostic } from '@ext/kernel'
import { samenessOfNames } from '@ext/kernel/match'
import { permissionPipeline } from '../config/pipeline.js'
import { readers } from '../config/read.js'
import type { LintOptions } from './lint.js'

/** What became of the tests that stand beside rules. */
export interface RuleTestReport {
  /** How many there are. */
  readonly total: number
  /** One for each test that failed. */
  readonly failed: readonly Diagnostic[]
  /** Everything else that loading had to say; tests of a rule that can't be used do not run. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Runs the tests that stand beside rules (`permissions.rules[].tests`), approved or not. Rejects as lint does. */
export async function testRules(options: Omit<LintOptions, 'knownTools'>): Promise<RuleTestReport> {
  const { layers, tools = {}, cwd, ports } = options
  const { files, home, platform } = ports
  // They run whenever rules are loaded, so that is all there is to do.
  const host = { cwd, home, ...samenessOfNames(platform), tools }
  const { diagnostics } = await permissionPipeline.load(layers, host, { files, approved: () => true })
  const isFailure = ({ code }: Diagnostic) => code === 'permission.rule.test-failed'
  const counts = await Promise.all(
    layers.map(async (layer) => {
      const read = await readers.find(({ dialect }) => dialect === layer.dialect)?.read(layer, files)
      const tests = (read?.entries ?? []).map(({ value }) => (value.kind === 'rule' ? value.written?.tests : undefined))
      return tests.reduce((sum, each) => sum + (each?.match?.length ?? 0) + (each?.notMatch?.length ?? 0), 0)
    }),
  )
  return {
    total: counts.reduce((sum, count) => sum + count, 0),
    failed: diagnostics.filter(isFailure),
    diagnostics: diagnostics.filter((diagnostic) => !isFailure(diagnostic)),
  }
}
