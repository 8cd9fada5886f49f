import type { OptionRead, WordsRead } from './programs/read.js'
import type { ProgramRow } from './programs/types.js'
import type { Arg } from './word.js'

type Words = readonly string[]

/** More spellings than these of one command are not built. */
const MAX_READINGS = 64

/** The same command in other words: by its base name, without global options, with its options in other orders. */
export function readingsOf(
  args: readonly Arg[],
  program: string,
  row: ProgramRow | undefined,
  read: WordsRead | undefined,
): { readonly readings: readonly Words[]; readonly same: readonly Words[] } {
  const argv = args.map(({ text }) => text)
  const seen = new Set([argv.join('\0')])
  const readings: Words[] = []
  const add = (words: Words) => {
    const key = words.join('\0')
    if (seen.has(key) || readings.length >= MAX_READINGS) return
    seen.add(key)
    readings.push(words)
  }
  const rest = argv.slice(1)
  const [name = ''] = argv
  const base = name.slice(name.lastIndexOf('/') + 1)
  add([base, ...rest])
  add([program, ...rest])
  // `python3.12` is a `python3`.
  add([base.replace(/(\d)(?:\.\d+)+$/, '$1'), ...rest])
  if (!row || !read) return { readings, same: [] }
  const body = argv.slice(read.bodyAt)
  if (!read.isListed) {
    // Some programs take a sub-command by its first letters.
    const [typed = ''] = read.sub
    for (const key of Object.keys(row.commands ?? {})) if (key.startsWith(typed)) add([program, key, ...body])
  }
  if (row.like) add([...row.like, ...rest])
  for (const sub of read.row.like ? [read.sub, read.row.like] : [read.sub]) {
    const lead = [program, ...sub]
    if (read.sub.length > 0) add([...lead, ...body])
    // Behind an inner command, other options are not this program's.
    if (read.innerAt !== undefined) continue
    const own = optionsOf(read)
    const operands = read.operands.map(({ arg }) => arg.text)
    const deleted = operands.filter((text) => text.startsWith(':'))
    if (sub[0] === 'push' && program === 'git' && deleted.length > 0) {
      add([...lead, '--delete', ...operands.map((text) => text.replace(/^:/, ''))])
    }
    const plus = operands.filter((text) => text.startsWith('+'))
    if (
      sub[0] === 'push' &&
      program === 'git' &&
      (plus.length > 0 || own.some(({ name }) => /^--(?:force|mirror)/.test(name)))
    ) {
      const bare = operands.map((text) => text.replace(/^\+/, ''))
      for (const force of ['--force', '-f']) {
        add([...lead, force, ...bare])
        add([...lead, ...bare, force])
      }
    }
    add([...lead, ...own.flatMap(({ words }) => words), ...operands])
    for (const option of own) {
      const others = own.filter((each) => each !== option).flatMap(({ words }) => words)
      for (const words of spellings(option, row, read.row)) {
        add([...lead, ...words, ...others, ...operands])
        add([...lead, ...operands, ...others, ...words])
      }
    }
    for (const cluster of clusters(own, row, read.row)) add([...lead, ...cluster.words, ...operands])
  }
  return { readings, same: withoutNeutral(argv, read) }
}

interface OwnOption {
  readonly name: string
  readonly value: string | undefined
  readonly words: Words
}

/** The options behind the sub-command, each by itself. */
function optionsOf(read: WordsRead): readonly OwnOption[] {
  return read.options
    .filter(({ at }) => at >= read.bodyAt)
    .map((option: OptionRead) => {
      const value = option.value?.text
      return { name: option.name, value, words: value === undefined ? [option.name] : [option.name, value] }
    })
}

/** `-o x`, `-ox`, `--output x`, `--output=x` */
function spellings({ name, value }: OwnOption, ...rows: readonly ProgramRow[]): readonly Words[] {
  const names = new Set([name])
  for (const { options = {} } of rows) {
    for (const [key, role] of Object.entries(options)) if (role === `=${name}`) names.add(key)
  }
  return [...names].flatMap((each): readonly Words[] => {
    if (value === undefined) return [[each]]
    return each.startsWith('--') ? [[each, value], [`${each}=${value}`]] : [[each, value], [each + value]]
  })
}

/** Short options written as one word: `-r -f` is `-rf` and `-fr`, whatever else is there. */
function clusters(own: readonly OwnOption[], ...rows: readonly ProgramRow[]): readonly { readonly words: Words }[] {
  const letters = own.flatMap((option) => {
    if (option.value !== undefined) return []
    const short = spellings(option, ...rows).find(([word]) => word !== undefined && /^-[^-]$/.test(word))?.[0]
    return short === undefined ? [] : [{ option, letter: short.slice(1) }]
  })
  if (letters.length < 2 || letters.length > 5) return []
  const rest = (used: readonly OwnOption[]) => own.filter((each) => !used.includes(each)).flatMap(({ words }) => words)
  const made: { words: Words }[] = []
  for (const one of letters) {
    for (const two of letters) {
      if (one === two) continue
      made.push({ words: [`-${one.letter}${two.letter}`, ...rest([one.option, two.option])] })
      for (const three of letters.length === 3 ? letters : []) {
        if (three === one || three === two) continue
        const used = [one.option, two.option, three.option]
        made.push({ words: [`-${one.letter}${two.letter}${three.letter}`, ...rest(used)] })
      }
    }
  }
  return made
}

/** What is left without the options that change nothing that matters. */
function withoutNeutral(argv: Words, read: WordsRead): readonly Words[] {
  const neutral = new Set(read.options.filter(({ role }) => role === 'neutral').map(({ at }) => at))
  if (neutral.size === 0) return []
  return [argv.filter((_, at) => !neutral.has(at))]
}
