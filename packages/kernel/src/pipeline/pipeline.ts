import { ExtError } from '../errors.js'
import { createPace } from '../pace.js'
import type { Snapshot } from '../types.js'
import { assemble } from './assemble.js'
import { compileEntries, createCompiler } from './compile.js'
import { admitEntries, isManagedBroken } from './consent.js'
import type { Pipeline, PipelineDefinition } from './definition.js'
import { keepLastGood, type LastGood, rememberGood } from './last-good.js'
import { mergeLayers } from './merge.js'
import { readSources } from './read.js'
import { validateEntries } from './validate.js'

/** Some stages take all entries in one step, and with more than this many each of them has a turn of its own. */
const MANY = 1000

/** Makes a pipeline from what is special about one axis. Adding a dialect is one more reader. */
export function definePipeline<Input, Entry, Compiled, Context>(
  definition: PipelineDefinition<Input, Entry, Compiled, Context>,
): Pipeline<Entry, Compiled, Context> {
  const { axis } = definition
  const memory = new WeakMap<Snapshot<Compiled>, () => LastGood<Entry, Compiled>>()

  function recall(previous: Snapshot<Compiled>): LastGood<Entry, Compiled> {
    const last = memory.get(previous)
    if (last) return last()
    const message = `\`previous\` is no snapshot that this pipeline of ${axis} has loaded, or it is a copy of one.`
    throw new ExtError('kernel.snapshot.foreign', message)
  }

  return {
    axis,
    async load(sources, context, host, { previous, pace = createPace() } = {}) {
      const last = previous && recall(previous)
      const read = await readSources(definition, sources, host.files)
      const compiler = createCompiler(definition, context)
      const checked = await validateEntries(definition, read.inputs, context, host, pace)
      const validated = last ? keepLastGood(axis, last, { read, validated: checked }, compiler, host) : checked
      const complaints = [...read.diagnostics, ...validated.diagnostics]
      const isLong = validated.valid.length > MANY
      if (isLong) await pace.turn()
      const managedBroken = isManagedBroken(validated.valid, complaints, definition.merge, compiler)
      const admitted = admitEntries(axis, validated.valid, compiler, managedBroken)
      if (isLong) await pace.turn()
      const merged = mergeLayers(definition, admitted.entries)
      const compiled = await compileEntries(axis, merged.entries, compiler, pace)
      if (isLong) await pace.turn()
      const parts = { axis, entries: compiled.entries, managedBroken }
      const snapshot = assemble(parts, [read, validated, admitted, merged], compiled, read.files)
      const { valid } = validated
      const good = merged.refused.size === 0 ? valid : valid.filter((each) => !merged.refused.has(each))
      memory.set(snapshot, rememberGood(snapshot, good))
      return snapshot
    },
  }
}
