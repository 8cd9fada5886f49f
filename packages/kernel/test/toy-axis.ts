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
  type PipelineDefinition,
} from '../src/index.js'

const report = createReporter({
  'toys.size': 'The size of a toy is not a number.',
  'toys.negative': 'A toy can not be smaller than nothing.',
} as const)

export interface Toy {
  readonly size: number
  readonly merge?: MergeStrategy
  readonly off: boolean
}

type ToyDefinition = PipelineDefinition<unknown, Toy, string, undefined>

/**
 * A whole axis: toys have a size, the big ones need consent, a negative size is found by the compiler only, `merge` and
 * `off` are theirs to say.
 */
export function toyPipeline(
  merge: MergeStrategy = 'override',
  more: Partial<ToyDefinition> = {},
): Pipeline<Toy, string, undefined> {
  return definePipeline({
    axis: 'toys',
    readers: [documentReader('ext', (document) => mapEntries(document, '/toys'))],
    validate(input: Located<unknown>): Outcome<Toy> {
      const { size, merge, off } = isMap(input.value) ? input.value : {}
      if (typeof size !== 'number') {
        const message = 'The toy has no size.'
        return { diagnostics: [report.error('toys.size', input.at('/size'), message, { entry: input.id })] }
      }
      const said = (['override', 'append'] as const).find((each) => each === merge)
      return { value: { size, off: off === true, ...(said ? { merge: said } : {}) }, diagnostics: [] }
    },
    identity: (entry) => entry.pointer.split('/').at(-1) ?? '',
    merge,
    mergeOf: (toy) => toy.merge,
    needsConsent: (toy) => toy.size > 100,
    enabled: (toy) => !toy.off,
    compile(entry) {
      const { size } = entry.value
      if (size >= 0) return { value: `size ${size}`, diagnostics: [] }
      return { diagnostics: [report.error('toys.negative', entry.at('/size'), 'The size is negative.')] }
    },
    ...more,
  })
}
