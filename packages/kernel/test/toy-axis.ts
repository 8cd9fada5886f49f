import {
  createReporter,
  definePipeline,
  documentReader,
  isMap,
  type Located,
  type MergeStrategy,
  mapEntries,
  type Outcome,
  type Pipeline,
} from '../src/index.js'

const report = createReporter({ 'toys.size': 'The size of a toy is not a number.' } as const)

/** A whole axis: toys have a size, and the big ones need consent. */
export function toyPipeline(merge: MergeStrategy = 'override'): Pipeline<number, string, undefined> {
  return definePipeline({
    axis: 'toys',
    readers: [documentReader('ext', (document) => mapEntries(document, '/toys'))],
    validate(input: Located<unknown>): Outcome<number> {
      const size = isMap(input.value) ? input.value['size'] : undefined
      if (typeof size === 'number') return { value: size, diagnostics: [] }
      const message = 'The toy has no size.'
      return { diagnostics: [report.error('toys.size', input.at('/size'), message, { entry: input.id })] }
    },
    identity: (entry) => entry.pointer.split('/').at(-1) ?? '',
    merge,
    needsConsent: (size) => size > 100,
    compile: (entry) => ({ value: `size ${entry.value}`, diagnostics: [] }),
  })
}
