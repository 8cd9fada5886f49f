import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseDuration } from '../../src/duration/index.js'
import {
  type ConfigSource,
  createReloader,
  createReporter,
  definePipeline,
  documentReader,
  formatDiagnostic,
  isMap,
  listEntries,
  mapEntries,
  type PipelineDefinition,
  parsePointer,
} from '../../src/index.js'
import { memoryFiles } from '../../src/testing/index.js'

// A fifth axis, besides servers, skills, hooks and permission: reminders, such as `tea: {after: 3m, say: Tea is ready}`.
// What stands between the two marks is all of it.
// [axis
interface Reminder {
  readonly after: string
  readonly say: string
}
const report = createReporter({
  'reminders.say': 'A reminder says nothing.',
  'reminders.after': 'The time is no duration.',
} as const)

const reminders: PipelineDefinition<unknown, Reminder, string, undefined> = {
  axis: 'reminders',
  readers: [documentReader('ext', (document) => mapEntries(document, '/reminders'))],
  validate(input) {
    const { after, say } = isMap(input.value) ? input.value : {}
    if (typeof say === 'string') return { value: { say, after: String(after) }, diagnostics: [] }
    return { diagnostics: [report.error('reminders.say', input.at('/say'), 'It has nothing to say.')] }
  },
  identity: (entry) => parsePointer(entry.pointer).at(-1) ?? '',
  merge: 'override',
  needsConsent: () => false,
  compile(entry) {
    const { ms, problem } = parseDuration(entry.value.after)
    if (ms !== undefined) return { value: `${entry.value.say} (${ms} ms)`, diagnostics: [] }
    return { diagnostics: [report.error('reminders.after', entry.at('/after'), `Not a time: ${problem}.`)] }
  },
}
// axis]

const user = `# mine
reminders:
  tea: {after: 3m, say: Tea is ready}
  eggs: {after: 6m, say: Eggs are ready}
`
const project = `reminders:
  tea: {after: 5m, say: Our tea takes longer}
  build:
    after: soon
    say: The build is done
`
const sources: readonly ConfigSource[] = [
  { kind: 'file', layer: 'project', dialect: 'ext', path: '/app/.ext/config.yaml' },
  { kind: 'file', layer: 'user', dialect: 'ext', path: '/home/me/.ext/config.yaml' },
]
const content: Record<string, string> = { '/home/me/.ext/config.yaml': user, '/app/.ext/config.yaml': project }
const host = { files: memoryFiles(content) }

describe('a fifth axis', () => {
  it('is a definition of less than thirty lines', () => {
    const lines = readFileSync(new URL(import.meta.url), 'utf8').split('\n')
    const length = lines.indexOf('// axis]') - lines.indexOf('// [axis') - 1
    expect(length).toBeGreaterThan(10)
    expect(length).toBeLessThan(30)
  })

  it('gets layers and merge: the nearer file wins, and what it replaces is said', async () => {
    const snapshot = await definePipeline(reminders).load(sources, undefined, host)
    expect(snapshot.entries.map(({ name, value, source }) => `${source.layer} ${name}: ${value}`)).toEqual([
      'user eggs: Eggs are ready (360000 ms)',
      'project tea: Our tea takes longer (300000 ms)',
    ])
    expect(snapshot.records.map(({ name, verdict }) => `${name} ${verdict}`)).toEqual([
      'tea shadowed',
      'eggs loaded',
      'tea loaded',
      'build broken',
    ])
  })

  it('gets positions: every diagnostic shows the very place', async () => {
    const { diagnostics } = await definePipeline(reminders).load(sources, undefined, host)
    const shown = diagnostics.map((each) => formatDiagnostic(each, { text: content[each.source.file ?? ''] ?? '' }))
    expect(shown.join('\n')).toMatchInlineSnapshot(`
      "/app/.ext/config.yaml:4:12 error reminders.after
        Not a time: a duration looks like "500ms", "30s", "5m" or "1h30m".
        3 |   build:
        4 |     after: soon
          |            ^^^^
      /home/me/.ext/config.yaml:3:8 info config.entry.shadowed
        \`tea\` is replaced by the one in a nearer place.
        2 | reminders:
        3 |   tea: {after: 3m, say: Tea is ready}
          |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        see /app/.ext/config.yaml:2:8: this one takes effect"
    `)
  })

  it('gets reload: an entry that breaks stays as it was, and the next edit of another one takes effect', async () => {
    const files: Record<string, string> = { ...content }
    const live = { files: { ...host.files, readText: (path: string) => memoryFiles(files).readText(path) } }
    const pipeline = definePipeline(reminders)
    const { store, reload } = await createReloader({ pipeline, sources, context: () => undefined, host: live })
    files['/home/me/.ext/config.yaml'] = 'reminders: {eggs: {after: 6}}'
    files['/app/.ext/config.yaml'] = project.replace('soon', '90s')
    await reload()
    expect(store.current.entries.map(({ name, value }) => `${name}: ${value}`)).toEqual([
      'eggs: Eggs are ready (360000 ms)',
      'tea: Our tea takes longer (300000 ms)',
      'build: The build is done (90000 ms)',
    ])
    expect(store.current.diagnostics.map(({ code }) => code)).toEqual(['reminders.say', 'config.entry.last-good'])
  })

  it('gets a second dialect from one more reader', async () => {
    const list = documentReader('list', (document) => listEntries(document, ''))
    const pipeline = definePipeline({ ...reminders, readers: [...reminders.readers, list] })
    const file = { kind: 'file', layer: 'local', dialect: 'list', path: '/app/reminders.json' } as const
    const files = memoryFiles({ ...content, '/app/reminders.json': '[{"after": "1h", "say": "Stand up"}, 5]' })
    const snapshot = await pipeline.load([...sources, file], undefined, { files })
    expect(snapshot.entries.at(-1)?.value).toBe('Stand up (3600000 ms)')
    expect(snapshot.diagnostics).toContainEqual(
      expect.objectContaining({ code: 'reminders.say', source: expect.objectContaining({ line: 1, column: 38 }) }),
    )
  })
})
