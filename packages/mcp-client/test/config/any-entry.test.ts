import { nodePorts } from '@ext/kernel/node'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadServers } from '../../src/load.js'

const words = [
  ...[
    'type',
    'command',
    'args',
    'env',
    'cwd',
    'inheritEnv',
    'url',
    'expandUrl',
    'headers',
    'listen',
    'enabled',
    'trust',
  ],
  ...[
    'required',
    'tools',
    'timeout',
    'keepAlive',
    'reconnect',
    'limits',
    'disabled',
    'excludeTools',
    'serverUrl',
    'sandbox',
  ],
  ...[
    'allow',
    'deny',
    'perTool',
    'readOnly',
    'connect',
    'interval',
    'backoff',
    'min',
    'rate',
    'breaker',
    'maxResult',
    'A',
  ],
]
const texts = fc.oneof(
  fc.constantFrom(
    'stdio',
    'http',
    'https://e.test',
    '${A}',
    '${A:-b}',
    '30s',
    '10MiB',
    'all',
    'mcp__a__b',
    '*',
    '',
    '\0',
  ),
  fc.string({ maxLength: 12 }),
)
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    texts,
    fc.constantFrom(null, true, false, 0, -1, 5000, 1e300),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...words), texts), tie('value'), { maxKeys: 5 }),
  ),
}))
const entry = fc.dictionary(fc.constantFrom(...words), value, { maxKeys: 7 })

test.each(['ext', 'claude-mcp'])(
  'whatever stands in an entry of %s ends as loaded, off or broken with a reason',
  async (dialect) => {
    const ports = nodePorts({ A: 'a' })
    const load = async (mcpServers: unknown) =>
      loadServers({
        layers: [{ kind: 'value', layer: 'user', dialect, name: 'the test', value: { mcpServers } }],
        cwd: '/work-here',
        ports,
      })
    await fc.assert(
      fc.asyncProperty(fc.oneof(entry, value), async (any) => {
        const { records, entries, diagnostics } = await load({ any, good: { command: 'a' } })
        expect(entries.map(({ name }) => name)).toContain('good')
        expect(diagnostics.filter(({ code }) => code === 'config.reader.crashed')).toEqual([])
        const record = records.find(({ name }) => name === 'any')
        const errors = diagnostics.filter(({ severity, entry: of }) => severity === 'error' && of === record?.id)
        expect(record?.verdict === 'broken').toBe(errors.length > 0)
        for (const { hint } of diagnostics) expect(hint).toBeTruthy()
        for (const each of entries) {
          expect(each.value.secrets()).not.toContain('')
          expect(each.value.offers('x').offered).toBeTypeOf('boolean')
        }
      }),
      { seed: 8, numRuns: 1500 },
    )
  },
)
