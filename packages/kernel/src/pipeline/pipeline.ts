import { assemble } from './assemble.js'
import { compileEntries, createCompiler } from './compile.js'
import { admitEntries, isManagedBroken } from './consent.js'
import type { Pipeline, PipelineDefinition } from './definition.js'
import { mergeLayers } from './merge.js'
import { readSources } from './read.js'
import { validateEntries } from './validate.js'

/** Makes a pipeline from what is special about one axis. Adding a dialect is one more reader. */
export function definePipeline<Input, Entry, Compiled, Context>(
  definition: PipelineDefinition<Input, Entry, Compiled, Context>,
): Pipeline<Entry, Compiled, Context> {
  const { axis } = definition
  return {
    axis,
    async load(sources, context, host) {
      const read = await readSources(definition, sources, host.files)
      // From here on it is synchronous: everything that was read becomes a snapshot in one step.
      const validated = validateEntries(definition, read.entries, context, host)
      const compiler = createCompiler(definition, context)
      const complaints = [...read.diagnostics, ...validated.diagnostics]
      const managedBroken = isManagedBroken(validated.valid, complaints, definition.merge, compiler)
      const admitted = admitEntries(axis, validated.valid, compiler, managedBroken)
      const merged = mergeLayers(axis, admitted.entries, definition.merge)
      const compiled = compileEntries(axis, merged.entries, compiler)
      return assemble(axis, compiled.entries, read.files, [read, validated, admitted, merged, compiled])
    },
  }
}
