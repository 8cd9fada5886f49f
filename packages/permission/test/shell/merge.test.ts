import { readFileSync } from 'node:fs'
import { createSchemaValidator } from '@ext/kernel/ajv'
import { expect, test } from 'vitest'
import { analyzeShell, builtInPrograms, mergePrograms } from '../../src/shell/index.js'
import { context } from './support.js'

function commandsWith(rows: Parameters<typeof mergePrograms>[1], line: string): readonly string[] {
  const { table, problems } = mergePrograms(builtInPrograms, rows)
  expect(problems).toEqual([])
  return analyzeShell(line, { ...context, programs: table }).units.map(({ argv }) => argv.join(' '))
}

test('the table that comes with the package is well formed and makes sense', async () => {
  const schema = JSON.parse(readFileSync(new URL('../../schema/programs.schema.json', import.meta.url), 'utf8'))
  const compiled = (await createSchemaValidator()).compile(schema)
  if ('problem' in compiled) throw new Error(compiled.problem)
  expect(compiled(builtInPrograms.programs)).toEqual([])
  expect(compiled({ x: { runs: 'everything' } })).toHaveLength(1)
  expect(mergePrograms({ version: 1, programs: {} }, builtInPrograms.programs).problems).toEqual([])
})

test('a runner is added without code', () => {
  const row = { options: { '--env': 'value' }, lead: 1, runs: 'command' } as const
  expect(commandsWith({ 'my-runner': row }, 'my-runner --env prod box rm -rf x')).toContain('rm -rf x')
})

test('a sub-command and an option are added to a program that is known', () => {
  const rows = { git: { options: { '--who': 'value' }, commands: { each: { runs: 'command' } } } } as const
  expect(commandsWith(rows, 'git --who me each rm x')).toContain('rm x')
  expect(commandsWith(rows, 'git submodule foreach "rm x"')).toContain('rm x')
})

test('a row that is extended under its other name stands for itself', () => {
  const { table } = mergePrograms(builtInPrograms, { podman: { commands: { each: { runs: 'command' } } } })
  expect(table.programs['podman']?.commands).toHaveProperty('exec')
  expect(table.programs['docker']?.commands).not.toHaveProperty('each')
})

test('rows that make no sense are told, and cost themselves only', () => {
  const { table, problems } = mergePrograms(builtInPrograms, {
    a: { as: 'nothing' },
    b: { as: 'podman' },
    c: { options: { '-x': '=-y' } },
    d: { commands: { e: { as: 'f' } } },
    good: { runs: 'command' },
    rm: { as: 'nothing' },
  })
  expect(problems.map(({ path }) => path.join('.'))).toEqual(['a', 'b', 'c.options.-x', 'd.commands.e', 'rm'])
  expect(problems[0]?.message).toBe('It is the same as `nothing`, which is not in the table. Add a row for `nothing`.')
  expect(table.programs).toHaveProperty('good')
  expect(table.programs).not.toHaveProperty('a')
  expect(table.programs['rm']).toBe(builtInPrograms.programs['rm'])
})
