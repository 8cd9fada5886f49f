import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { everyCommand, helpOf, isGroup, misunderstood, parse } from './tree.js'

/** Commands that give one thing, and say in which form with an option of their own or not at all. */
const NO_LIST = [
  'demo',
  'chat',
  'run',
  'config init',
  'config schema',
  'help',
  'mcp add',
  'mcp remove',
  'sessions export',
  'completion',
]

const commands = everyCommand()
const leaves = commands.filter((each) => !isGroup(each))

it('there are commands to look at', () => {
  expect(leaves.length).toBeGreaterThan(35)
  expect(commands.map(({ path }) => path)).toEqual(expect.arrayContaining(['', 'mcp', 'mcp add', 'run', 'doctor']))
})

it.each(commands)('ext $path says in its help what it does, and shows how', async ({ path, command }) => {
  const help = helpOf(command)
  const name = `ext ${path}`.trim()
  expect(help).toContain(`Usage: ${name}`)
  expect(command.description().length).toBeGreaterThan(10)
  for (const option of command.createHelp().visibleOptions(command))
    expect(`${option.flags}: ${option.description}`).not.toMatch(/: $/)
  for (const argument of command.registeredArguments)
    expect(`${argument.name()}: ${argument.description}`).not.toMatch(/: $/)

  const examples = help.split('\n').filter((line) => line.startsWith('  ext '))
  expect(examples.length).toBeGreaterThan(0)
  for (const example of examples) {
    const line = example.trim().replace(/ (?:[<>|#]|&&).*/, '')
    // `ext` alone is `ext chat`.
    expect(`${line} `).toContain(path === 'chat' ? 'ext ' : `${name} `)
    expect([line, await misunderstood(line.slice('ext '.length))]).toEqual([line, undefined])
  }
})

it.each(leaves)('ext $path gives lists to programs as well', ({ path, command }) => {
  const json = command.options.some(({ long }) => long === '--json')
  expect([path, json]).toEqual([path, !NO_LIST.includes(path)])
})

it.each(leaves.filter(({ command }) => command.options.some(({ long }) => long === '--project')))(
  'ext $path does not begin in a folder that there is not',
  async ({ path, command }) => {
    const needed = command.registeredArguments.flatMap(({ required }) => (required ? ['x'] : []))
    await expect(parse([...path.split(' '), ...needed, '--project', './nowhere'])).rejects.toThrow(
      'There is no such folder.',
    )
  },
)

it.each(['README.md', '../../README.md'])(
  'every command that %s names is one, with the options that it names',
  async (file) => {
    const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8')
    const [there = ''] = text.split('\n## What it does not do')
    const named = [...there.matchAll(/`(?:npx )?ext ([^`]+)`/g)].map(([, line = '']) => line)
    const wrong: unknown[] = []
    for (const line of named) {
      const problem = await misunderstood(line.replaceAll(/[[\]…]/g, '').replace(/\|.*/, ''))
      // A name alone stands for the command, whatever it takes; that of a group for all in it.
      if (problem !== undefined && !/missing required|not specified|outputHelp/.test(problem))
        wrong.push([line, problem])
    }
    expect(wrong).toEqual([])
    expect(named.length).toBeGreaterThan(2)
  },
)
