import { formatPlace, suggest } from '@ext/kernel'
import type { Skill, SkillExplanation } from '@ext/skills/types'
import type { Io } from '../../io.js'
import { shorten } from '../../render/diagnostics.js'
import { oneLine, printable } from '../../render/words.js'
import { withExtensions } from '../read-extensions.js'
import { forPrograms } from './for-programs.js'

export interface ShowOptions {
  readonly project: string
  readonly why?: boolean
  readonly json?: boolean
}

/** What the header of a skill means, and with `--why` what became of all of its name. */
export async function show(name: string, options: ShowOptions, io: Io): Promise<number> {
  return withExtensions(options, io, async (extensions) => {
    const { skills, locations } = extensions
    const explanation = skills.explain(name)
    const { winner, found } = explanation
    if (found.length === 0) {
      const meant = suggest(
        name,
        skills.snapshot.entries.map((entry) => entry.value.name),
      )
      const hint = meant === undefined ? 'See ext skills list.' : `Did you mean \`${meant}\`?`
      io.err(`ext: ${printable(`There is no skill \`${name}\`. ${hint}`)}`)
      return 2
    }
    if (options.json) {
      const why = options.why ? { found } : {}
      io.out(JSON.stringify({ name, ...(winner ? { skill: forPrograms(winner) } : {}), ...why }, null, 2))
      return winner ? 0 : 1
    }
    const short = shorten(locations.project)
    if (winner) for (const line of describe(winner)) io.out(printable(short(line)))
    else io.out(printable(`No skill \`${name}\` takes effect.`))
    if (options.why || !winner) {
      io.out('')
      for (const line of why(explanation)) io.out(printable(short(line)))
    }
    return winner ? 0 : 1
  })
}

function why({ found }: SkillExplanation): readonly string[] {
  return found.map(({ verdict, source, reason }) => `${verdict.padEnd(10)}${formatPlace(source)}\n          ${reason}`)
}

function describe(skill: Skill): readonly string[] {
  const lists = [
    [
      'approved',
      skill.grants.length > 0 ? texts(skill.grants) + (skill.trusted ? '' : ' (not trusted yet)') : undefined,
    ],
    ['taken away', skill.disallowed.length > 0 ? texts(skill.disallowed) : undefined],
    ...skill.restrict.map(({ field, rules }) => ['only', `${texts(rules) || 'none'} (${field})`] as const),
  ] as const
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['file', skill.file],
    ['description', oneLine(skill.description, 300)],
    ['when', skill.whenToUse && oneLine(skill.whenToUse, 300)],
    ['arguments', skill.argumentHint],
    ['started by', startedBy(skill)],
    ['mode', skill.mode === 'fork' ? `fork, sees ${seen(skill)} of the conversation` : 'inline'],
    ['agent', skill.agent],
    ['model', skill.model],
    ['effort', skill.effort],
    ['paths', skill.paths?.text],
    ...lists,
    ['hooks', skill.hasHooks ? 'yes, see ext hooks list' : undefined],
    ['license', skill.license],
    ['needs', skill.compatibility],
    ['metadata', skill.metadata && oneLine(JSON.stringify(skill.metadata), 300)],
  ]
  return [skill.name, ...rows.flatMap(([key, value]) => (value ? [`  ${key.padEnd(14)}${value}`] : []))]
}

function startedBy({ modelInvocable, userInvocable }: Skill): string {
  if (modelInvocable && userInvocable) return 'the model and the user'
  if (modelInvocable) return 'the model'
  return userInvocable ? 'the user' : 'nobody'
}

function seen({ forkContext }: Skill): string {
  return { none: 'nothing', recent: 'the last messages', full: 'all' }[forkContext]
}

function texts(rules: Skill['grants']): string {
  return rules.map(({ rule }) => rule.text).join(', ')
}
