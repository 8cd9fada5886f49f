import type { ForeignProgram } from '@ext/mcp-client/import'

/** Something of another program that is no server, and why it is not taken over. */
export interface Aside {
  readonly what: 'hooks' | 'permissions' | 'instructions' | 'agents' | 'limits' | 'file'
  readonly reason: string
  readonly hint: string
}

/** Where a program has its configuration in a project. */
export interface Program {
  readonly id: ForeignProgram
  readonly name: string
  /** Files with servers. */
  readonly files: readonly string[]
  /** Parts of these files, by their pointers. */
  readonly parts?: Readonly<Record<string, Aside>>
  /** Other files and folders. */
  readonly others?: Readonly<Record<string, Aside>>
}

const rules = (what: string): Aside => ({
  what: 'permissions',
  reason: `${what} are rules in another language, so they do not hold here.`,
  hint: 'Write them under `permissions` in .ext/config.yaml, and run ext permissions lint.',
})

const hooks: Aside = {
  what: 'hooks',
  reason: 'Hooks there get other inputs and answer otherwise, so they would not do here what they do there.',
  hint: 'Write them under `hooks` in .ext/config.yaml; ext hooks events shows the moments.',
}

const instructions: Aside = {
  what: 'instructions',
  reason: 'These instructions are not read.',
  hint: 'Write into AGENTS.md what holds for all programs.',
}

/** The programs whose files are looked for. */
export const PROGRAMS: readonly Program[] = [
  {
    id: 'cursor',
    name: 'Cursor',
    files: ['.cursor/mcp.json'],
    others: { '.cursor/hooks.json': hooks, '.cursor/rules': instructions, '.cursorrules': instructions },
  },
  {
    id: 'vscode',
    name: 'VS Code',
    files: ['.vscode/mcp.json'],
    others: { '.github/copilot-instructions.md': instructions },
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    files: ['.gemini/settings.json'],
    parts: {
      '/tools/allowed': rules('Tools that are allowed'),
      '/tools/core': rules('Tools that there are alone'),
      '/tools/exclude': rules('Tools that are excluded'),
      '/allowedTools': rules('Tools that are allowed'),
      '/coreTools': rules('Tools that there are alone'),
      '/excludeTools': rules('Tools that are excluded'),
      '/hooks': hooks,
    },
    others: { 'GEMINI.md': instructions },
  },
  {
    id: 'codex',
    name: 'Codex',
    files: ['.codex/config.toml'],
    parts: {
      '/hooks': hooks,
      '/sandbox_mode': {
        what: 'limits',
        reason: 'Nothing here runs in a sandbox, so this limit does not hold.',
        hint: 'Write deny and ask rules under `permissions` in .ext/config.yaml.',
      },
      '/approval_policy': rules('Policies of approval'),
    },
    others: { '.codex/hooks.json': hooks, '.codex/rules': rules('Rules of Codex') },
  },
  {
    id: 'opencode',
    name: 'opencode',
    files: ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'],
    parts: {
      '/permission': rules('Permissions of opencode'),
      '/tools': rules('Switches of tools'),
      '/agent': {
        what: 'agents',
        reason: 'Agents in this form are not read.',
        hint: 'Write each as a file in .ext/agents.',
      },
      '/instructions': instructions,
    },
  },
]
