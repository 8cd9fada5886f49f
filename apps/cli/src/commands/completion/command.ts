import { Argument, type Command } from 'commander'
import type { Io } from '../../io.js'

/** `ext completion`, and what its scripts ask while somebody types. */
export function addCompletion(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command('completion')
    .description('print a script that completes commands, options and your own names in a shell')
    .addArgument(new Argument('<shell>', 'which one').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      '\nNames of servers, skills, hooks, agents and sessions come from the files; nothing is started.' +
        '\n\nExamples:' +
        '\n  ext completion bash > ~/.local/share/bash-completion/completions/ext' +
        '\n  ext completion zsh > ~/.zfunc/_ext        # a folder of your fpath' +
        '\n  ext completion fish > ~/.config/fish/completions/ext.fish' +
        '\n  eval "$(ext completion bash)"             # for this shell only',
    )
    .action(async (shell: import('./script.js').Shell) => {
      const { printScript } = await import('./script.js')
      done(await printScript(shell, io))
    })

  program
    .command('complete', { hidden: true })
    .description('say what can follow the words; called by the scripts of ext completion')
    .argument('[words...]', 'behind the name of the program, the one at the cursor last')
    .addHelpText('after', "\nExamples:\n  ext complete -- mcp test ''")
    .action(async (words: readonly string[]) => {
      const { complete } = await import('./complete.js')
      done(await complete(program, words, io))
    })
}
