import { type Command, Option } from 'commander'
import { collect, existingFile, folder, positive } from '../../arguments.js'
import type { Io } from '../../io.js'
import { SCOPES } from './scopes.js'

/** `ext mcp …`. */
export function addMcp(program: Command, io: Io, done: (code: number) => void): void {
  const mcp = program
    .command('mcp')
    .description('MCP servers: add, list and test them, see their tools and what they write, call a tool')
    .addHelpText(
      'after',
      '\nExamples:\n  ext mcp add files -- npx -y @modelcontextprotocol/server-filesystem .\n  ext mcp test files\n\nRun ext mcp <command> --help for what each takes.',
    )
  addReading(mcp, io, done)
  addWriting(mcp, io, done)
  addStarting(mcp, io, done)
}

function addReading(mcp: Command, io: Io, done: (code: number) => void): void {
  mcp
    .command('list')
    .description('show every configured server with its place and what became of it; starts none')
    .option('--project <dir>', 'folder with the configuration', folder, '.')
    .option('--trust-project', 'judge the project as if it were approved')
    .option('--json', 'for programs')
    .addHelpText('after', '\nExits with 1 if an entry is broken.\n\nExamples:\n  ext mcp list\n  ext mcp list --json')
    .action(async (options: import('./list.js').ListOptions) => {
      const { list } = await import('./list.js')
      done(await list(options, io))
    })

  mcp
    .command('logs')
    .description('show what a server has written to stderr, in all runs so far')
    .argument('<name>', 'the server')
    .option('--project <dir>', 'folder with the configuration', folder, '.')
    .option('--follow', 'go on with what it writes from now on')
    .option('--lines <n>', 'how many lines from the end', positive, 200)
    .addOption(new Option('--json', 'for programs').conflicts('follow'))
    .addHelpText('after', '\nExamples:\n  ext mcp logs github\n  ext mcp logs github --follow')
    .action(async (name: string, options: import('./logs.js').LogsOptions) => {
      const { logs } = await import('./logs.js')
      done(await logs(name, options, io))
    })
}

function addWriting(mcp: Command, io: Io, done: (code: number) => void): void {
  mcp
    .command('add')
    .description('write a server into a file of yours; comments in there stay')
    .argument('<name>', '1 to 64 letters, digits, _ and -')
    .argument('[command...]', 'what to start, with its arguments; write -- before it')
    .addOption(
      new Option(
        '--scope <scope>',
        'user: ~/.ext/config.yaml, project: .ext/config.yaml, local: .ext/config.local.yaml',
      )
        .choices(SCOPES)
        .default('user'),
    )
    .option('--url <url>', 'what to reach, instead of a command')
    .addOption(
      new Option('--type <type>', 'how it is spoken to (default: stdio, or http with --url)').choices([
        'stdio',
        'http',
        'sse',
      ]),
    )
    .option('--env <name=value>', 'a variable for the command; can be repeated', collect, [])
    .option('--header <name=value>', 'a header for --url; can be repeated', collect, [])
    .option('--cwd <dir>', 'folder to start the command in')
    .option('--trust', 'believe what its tools say about themselves')
    .option('--force', 'replace an entry of this name')
    .option('--project <dir>', 'folder with the configuration', folder, '.')
    .addHelpText(
      'after',
      '\nA value such as ${TOKEN} in single quotes is written as it is, and filled in at each start.' +
        '\n\nExamples:\n  ext mcp add files -- npx -y @modelcontextprotocol/server-filesystem .' +
        "\n  ext mcp add github --env 'GITHUB_TOKEN=${GITHUB_TOKEN}' -- github-mcp-server stdio" +
        "\n  ext mcp add docs --scope project --url https://example.com/mcp --header 'Authorization=Bearer ${DOCS_TOKEN}'",
    )
    .action(async (name: string, command: string[], options: import('./entry.js').AddOptions) => {
      const { add } = await import('./add.js')
      done(await add(name, command, options, io))
    })

  mcp
    .command('remove')
    .description('take a server out of a file of yours; comments in there stay')
    .argument('<name>', 'the server')
    .addOption(new Option('--scope <scope>', 'which file, if it stands in several').choices(SCOPES))
    .option('--project <dir>', 'folder with the configuration', folder, '.')
    .addHelpText('after', '\nExamples:\n  ext mcp remove github\n  ext mcp remove docs --scope project')
    .action(async (name: string, options: import('./remove.js').RemoveOptions) => {
      const { remove } = await import('./remove.js')
      done(await remove(name, options, io))
    })
}

function addStarting(mcp: Command, io: Io, done: (code: number) => void): void {
  const starting = (name: string, description: string) =>
    mcp
      .command(name)
      .description(description)
      .option('--project <dir>', 'folder with the configuration', folder, '.')
      .option('--trust-project', 'start servers of the project without approval, this time')
      .option('--config <file>', 'only the servers of this file, which counts as approved', existingFile)
      .option('--json', 'for programs')

  starting('test', 'start servers and say of each whether it became ready; exits with 1 if one did not')
    .argument('[names...]', 'only these')
    .addHelpText(
      'after',
      '\nExamples:\n  ext mcp test\n  ext mcp test github --json\n  ext mcp test --config .mcp.json',
    )
    .action(async (names: string[], options: import('./test.js').TestOptions) => {
      const { test } = await import('./test.js')
      done(await test(names, options, io))
    })

  starting(
    'status',
    'start servers and show how each is: who it says it is, what it wrote; exits with 1 if one is in trouble',
  )
    .argument('[names...]', 'only these')
    .addHelpText('after', '\nExamples:\n  ext mcp status\n  ext mcp status github --json')
    .action(async (names: string[], options: import('./status.js').StatusOptions) => {
      const { status } = await import('./status.js')
      done(await status(names, options, io))
    })

  starting('tools', 'start servers and show their tools: offered, held back, hidden by rules, broken')
    .argument('[name]', 'only of this server')
    .option('--held', 'only those that wait for you, with what is different since they were approved')
    .option(
      '--approve <tools...>',
      'offer these held tools again: TOOL@DIGEST as --held shows it, or TOOL as it is now',
    )
    .addHelpText(
      'after',
      '\nExits with 1 if a server is not ready.\n\nExamples:\n  ext mcp tools\n  ext mcp tools github --held\n  ext mcp tools github --approve create_issue',
    )
    .action(async (name: string | undefined, options: import('./tools.js').ToolsOptions) => {
      const { tools } = await import('./tools.js')
      done(await tools(name === undefined ? [] : [name], options, io))
    })

  starting('resources', 'start servers and show what they give to read, with templates of addresses')
    .argument('[name]', 'only of this server')
    .addHelpText(
      'after',
      '\nExits with 1 if a server is not ready.\n\nExamples:\n  ext mcp resources\n  ext mcp resources docs --json',
    )
    .action(async (name: string | undefined, options: import('./offers.js').OffersOptions) => {
      const { resources } = await import('./resources.js')
      done(await resources(name === undefined ? [] : [name], options, io))
    })

  starting('read', 'read one resource yourself; nobody is asked. Exits with 1 if it can’t be read')
    .argument('<server>', 'the server')
    .argument('<uri>', 'its address, as ext mcp resources shows it, or a template filled in')
    .addHelpText(
      'after',
      '\nExamples:\n  ext mcp read docs file:///guide.md\n  ext mcp read docs file:///guide.md --json',
    )
    .action(async (server: string, uri: string, options: import('./read.js').ReadOptions) => {
      const { read } = await import('./read.js')
      done(await read(server, uri, options, io))
    })

  starting('prompts', 'start servers and show their prompts, which ext run "/NAME …" starts')
    .argument('[name]', 'only of this server')
    .addHelpText(
      'after',
      '\nExits with 1 if a server is not ready.\n\nExamples:\n  ext mcp prompts\n  ext mcp prompts docs --json',
    )
    .action(async (name: string | undefined, options: import('./offers.js').OffersOptions) => {
      const { prompts } = await import('./prompts.js')
      done(await prompts(name === undefined ? [] : [name], options, io))
    })

  starting('call', 'call one tool yourself; nobody is asked. Exits with 1 if the tool fails')
    .argument('<server>', 'the server')
    .argument('<tool>', 'the tool, as the server or as the model calls it')
    .addOption(new Option('--input <json>', 'its input (default: {})').conflicts('inputFile'))
    .option('--input-file <file>', 'a file with its input')
    .addHelpText(
      'after',
      '\nExamples:\n  ext mcp call files list_directory --input \'{"path":"."}\'\n  ext mcp call github get_me --json',
    )
    .action(async (server: string, tool: string, options: import('./call.js').CallOptions) => {
      const { call } = await import('./call.js')
      done(await call(server, tool, options, io))
    })
}
