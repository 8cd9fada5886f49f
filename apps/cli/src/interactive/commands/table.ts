import type { SessionStore } from '@ext/agent-core/types'
import type { Extensions } from '../../compose.js'
import type { Io } from '../../io.js'
import type { Talk } from '../talk.js'

/** What a command of the session works with. */
export interface Host {
  readonly extensions: Extensions
  /** Where this session is kept, and those that it can go on with; `undefined` if nothing is kept. */
  readonly store: SessionStore | undefined
  /** `undefined` as long as no model can be used. */
  readonly talk: Talk | undefined
  /** Prints into the session. */
  readonly io: Io
  /** Leaves the terminal to a question. */
  away<T>(work: () => Promise<T>): Promise<T>
  /**
   * Begins with a model, or goes on with another one. What keeps it from being used is said, and nothing is changed then.
   * @param name default: what the command line or the configuration says
   */
  useModel(name?: string): Promise<Talk | undefined>
  leave(): void
}

export interface SlashCommand {
  readonly name: string
  /** What goes behind the name. */
  readonly args?: string
  readonly summary: string
  run(args: string, host: Host): Promise<unknown>
}

/** Of the session itself. They go before a skill of the same name, which is then started by its qualified name or by the model. */
export const commands: readonly SlashCommand[] = [
  {
    name: 'help',
    summary: 'what can be written here',
    async run(_args, { io }) {
      for (const { name, args = '', summary } of commands) io.out(`/${`${name} ${args}`.padEnd(16)} ${summary}`)
      io.out('')
      for (const [keys, what] of KEYS) io.out(`${keys.padEnd(17)} ${what}`)
    },
  },
  {
    name: 'mcp',
    summary: 'the servers, and how each is',
    run: async (_args, host) => (await import('./axes.js')).showServers(host),
  },
  {
    name: 'skills',
    summary: 'every skill with what became of it',
    run: async (_args, { extensions, io }) =>
      (await import('../../commands/skills/list.js')).showSkills(extensions, {}, io),
  },
  {
    name: 'hooks',
    summary: 'every hook with what became of it',
    run: async (_args, { extensions, io }) =>
      (await import('../../commands/hooks/list.js')).showHooks(extensions, {}, io),
  },
  {
    name: 'permissions',
    summary: 'every rule in the order in which they decide, and what is allowed in this session',
    run: async (_args, host) => (await import('./permissions.js')).showPermissions(host),
  },
  {
    name: 'agents',
    summary: 'the sub-agents that the model may start',
    run: async (_args, { extensions, io }) =>
      (await import('../../commands/agents/list.js')).showAgents(extensions, {}, io),
  },
  {
    name: 'tasks',
    args: '[stop] [id]',
    summary: 'what runs in the background, what it has put out, and its end',
    run: async (args, host) => (await import('./tasks.js')).tasks(args, host),
  },
  {
    name: 'compact',
    summary: 'makes the conversation shorter',
    run: async (_args, { talk, io }) => (talk ? talk.compact() : io.err(NO_MODEL)),
  },
  {
    name: 'clear',
    summary: 'begins anew, in a session of its own',
    async run(_args, { talk, io, store }) {
      if (!talk) return io.err(NO_MODEL)
      await talk.clear()
      const kept = store ? ' The one before is kept: /resume.' : ' The one before is kept nowhere: --no-save.'
      io.out(`Nothing of the conversation is left.${kept}`)
    },
  },
  {
    name: 'resume',
    args: '[id]',
    summary: 'goes on with another session of this project',
    run: async (args, host) => (await import('./resume.js')).resume(args, host),
  },
  {
    name: 'model',
    args: '[name]',
    summary: 'the model, or another one from now on',
    async run(args, { talk, extensions, io, useModel }) {
      const now = args === '' ? talk : await useModel(args)
      if (now || args === '') io.out(now ? `The model is ${now.model}.` : NO_MODEL)
      const names = Object.keys(extensions.models.named)
      if (args === '' && names.length > 0) io.out(`Others by name: ${names.join(', ')}.`)
    },
  },
  {
    name: 'doctor',
    summary: 'what is to be said about the configuration',
    run: async (_args, { extensions, io }) => (await import('../../commands/doctor.js')).showHealth(extensions, {}, io),
  },
  {
    name: 'cost',
    summary: 'what the session has used so far',
    run: async (_args, host) => (await import('./axes.js')).showCost(host),
  },
  {
    name: 'exit',
    summary: 'ends the session, as Ctrl+D does',
    async run(_args, { leave }) {
      leave()
    },
  },
]

export const NO_MODEL = 'There is no model yet: /model NAME, or see ext --help.'

const KEYS = [
  ['Enter', 'sends'],
  ['\\ Enter, Alt+Enter', 'begins a new line'],
  ['Tab', 'completes a /name'],
  ['Up, Down', 'earlier prompts'],
  ['Esc, Ctrl+C', 'interrupts'],
  ['Ctrl+C twice', 'ends the session'],
] as const
