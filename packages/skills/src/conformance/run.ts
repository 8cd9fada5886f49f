import type { ConformanceCase, TreeItem } from './cases.js'
import { type Fault, type LoaderOutcome, scoreCase } from './score.js'

/** A loader under test. */
export type Loader = (input: {
  /** Absolute path of the folder that the paths of the case start in. */
  readonly root: string
  /** Absolute paths, the farthest first. */
  readonly roots: readonly { readonly path: string; readonly layer: ConformanceCase['roots'][number]['layer'] }[]
}) => Promise<LoaderOutcome>

/** Makes trees real. `@ext/skills/node` has one for disks. */
export interface TreeWriter {
  /** Whether the machine has what a case needs. */
  has(need: NonNullable<ConformanceCase['needs']>): boolean
  /** @returns the absolute path that the tree starts in, and what removes it */
  write(tree: readonly TreeItem[]): Promise<{ readonly root: string; remove(): Promise<void> }>
}

export interface CaseResult {
  readonly id: string
  readonly state: 'passed' | 'failed' | 'skipped'
  readonly faults: readonly Fault[]
}

export interface ConformanceResult {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly cases: readonly CaseResult[]
}

/**
 * Runs a loader against cases, one after the other. A loader that throws fails the case; a case whose files can't be made
 * is skipped, and says why.
 */
export async function runConformance(
  cases: readonly ConformanceCase[],
  loader: Loader,
  writer: TreeWriter,
): Promise<ConformanceResult> {
  const results: CaseResult[] = []
  for (const each of cases) results.push(await runCase(each, loader, writer))
  const count = (state: CaseResult['state']) => results.filter((result) => result.state === state).length
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped'), cases: results }
}

async function runCase(each: ConformanceCase, loader: Loader, writer: TreeWriter): Promise<CaseResult> {
  const { id, needs, tree, roots } = each
  if (needs && !writer.has(needs)) return { id, state: 'skipped', faults: [] }
  let written: Awaited<ReturnType<TreeWriter['write']>>
  try {
    written = await writer.write(tree)
  } catch (error) {
    // Not every file system takes every name, and that is no fault of the loader.
    const message = `The files of the case can not be made here: ${String(error)}`
    return { id, state: 'skipped', faults: [{ kind: 'crashed', file: '', message }] }
  }
  const { root, remove } = written
  try {
    const outcome = await loader({ root, roots: roots.map(({ path, layer }) => ({ path: `${root}/${path}`, layer })) })
    const faults = scoreCase(each, outcome)
    return { id, state: faults.length === 0 ? 'passed' : 'failed', faults }
  } catch (error) {
    return { id, state: 'failed', faults: [{ kind: 'crashed', file: '', message: String(error) }] }
  } finally {
    await remove()
  }
}
