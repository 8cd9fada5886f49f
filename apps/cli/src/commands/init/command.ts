import type { Command } from 'commander'
import { folder } from '../../arguments.js'
import type { Io } from '../../io.js'

/** `ext init`. */
export function addInit(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command('init')
    .description(
      'write a commented starter configuration, .ext/config.yaml, and offer to import what other programs have',
    )
    .option('--project <dir>', 'folder to write it in', folder, '.')
    .option('--import', 'import what can be imported, without a question')
    .option('-y, --yes', 'the same')
    .option('--json', 'for programs; without --import nothing is imported')
    .addHelpText(
      'after',
      '\nFiles of Claude Code, .mcp.json and skills are read as they are; it says what of them can’t take effect.' +
        '\nMCP servers of Cursor, VS Code, Gemini CLI, Codex and opencode can be imported. Secrets are not copied.' +
        '\n\nExamples:\n  ext init\n  ext init --import\n  ext init --project ./app --json',
    )
    .action(async (options: import('./init.js').InitOptions) => {
      const { init } = await import('./init.js')
      done(await init(options, io))
    })
}
