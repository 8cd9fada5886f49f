import { nodePorts } from '@ext/kernel/node'
import { describe, expect, test } from 'vitest'
import { claudeSource, codes, extSource, load, only, rule } from '../support.js'

const claude = (handler: object) => load([claudeSource({ Stop: [{ hooks: [{ type: 'command', ...handler }] }] })])

// anthropics/claude-code#5648, #40084, #93356; JetBrains/context#29: a quarter of real files break in a folder with a space.
describe('a path variable', () => {
  test.each([
    '$CLAUDE_PROJECT_DIR/x.sh',
    '${CLAUDE_PROJECT_DIR}/x.sh',
    'bash $CLAUDE_PROJECT_DIR/x.sh "$CLAUDE_PROJECT_DIR"',
    'x "$(cat $CLAUDE_PROJECT_DIR/y)"',
  ])('outside of quotes is said: %s', async (command) => {
    const diagnostic = only(await claude({ command }))
    expect(diagnostic).toMatchObject({ code: 'hooks.shell.unquoted', severity: 'warning' })
    expect(diagnostic.hint).toContain('"$CLAUDE_PROJECT_DIR"/…')
  })

  test("in single quotes is an error: '$CLAUDE_PROJECT_DIR'/x.sh", async () => {
    expect(only(await claude({ command: "'$CLAUDE_PROJECT_DIR'/x.sh" }))).toMatchObject({
      code: 'hooks.shell.single-quoted',
      severity: 'error',
      hint: 'Use double quotes: "$CLAUDE_PROJECT_DIR".',
    })
  })

  test.each([
    '"$CLAUDE_PROJECT_DIR"/x.sh',
    '"$CLAUDE_PROJECT_DIR/x.sh"',
    'cd "${CLAUDE_PROJECT_DIR}" && ./x.sh',
    'dir=$CLAUDE_PROJECT_DIR; "$dir"/x.sh',
    `bash -c '"$CLAUDE_PROJECT_DIR"/x.sh'`,
    `echo \\$CLAUDE_PROJECT_DIR`,
    `"$(dirname "$CLAUDE_PROJECT_DIR")"/x.sh`,
    `# don't\n"$CLAUDE_PROJECT_DIR"/x.sh`,
    `echo 'it costs $5'`,
    `cat <<END\n$CLAUDE_PROJECT_DIR isn't quoted\nEND`,
    '$CLAUDE_PROJECT_DIRECTORY_OF_MINE= true',
  ])('is left alone where it is right: %s', async (command) => {
    expect(codes(await claude({ command })).filter((code) => code.startsWith('hooks.shell'))).toEqual([])
  })

  test('needs no quotes without a shell', async () => {
    expect(
      (await claude({ command: '${CLAUDE_PROJECT_DIR}/x.sh', args: ['${CLAUDE_PROJECT_DIR}/y'] })).diagnostics,
    ).toEqual([])
  })
})

describe('a variable that is not set is said', () => {
  test.each(['CLAUDE_PLUGIN_ROOT', 'CLAUDE_ENV_FILE', 'CLAUDE_TOOL_INPUT_FILE_PATH'])('%s', async (name) => {
    expect(only(await claude({ command: `cat "$${name}"` }))).toMatchObject({
      code: 'hooks.env.unset',
      severity: 'warning',
    })
    expect(only(await claude({ command: `\${${name}}/x`, args: [] })).code).toBe('hooks.env.unset')
  })

  test('unless the command brings a value or a default', async () => {
    expect((await claude({ command: 'CLAUDE_X=1; echo "$CLAUDE_X"' })).diagnostics).toEqual([])
    expect((await claude({ command: 'echo "${CLAUDE_X:-none}"' })).diagnostics).toEqual([])
  })

  test('CLAUDE_PROJECT_DIR in our own files, where it has another name', async () => {
    const hooks = await load([extSource(rule('Stop', '"$CLAUDE_PROJECT_DIR"/x.sh'))])
    expect(only(hooks)).toMatchObject({ code: 'hooks.env.unset', hint: 'Write HOOK_PROJECT_DIR.' })
  })

  test('passEnv of something that the host does not have', async () => {
    const action = { type: 'command', command: 'true', passEnv: ['NO_SUCH_TOKEN', 'PATH'] }
    const hooks = await load([extSource({ event: 'Stop', action })])
    expect(only(hooks)).toMatchObject({ code: 'hooks.env.unset', severity: 'info' })
    expect(only(hooks).message).toContain('NO_SUCH_TOKEN')
  })
})

describe('a variable of the host that a command reads is said', () => {
  const ports = nodePorts({ PATH: process.env['PATH'], GH_TOKEN: 'x', HTTPS_PROXY: 'x' })
  const read = (command: string, options: object = {}, action: object = {}) =>
    load([extSource({ event: 'Stop', action: { type: 'command', command, ...action } })], { ports, ...options })

  test.each(['echo "$GH_TOKEN"', 'echo ${GH_TOKEN}', `bash -c 'echo $GH_TOKEN'`, 'x; curl "a${GH_TOKEN%x}"'])(
    'with the line to add: %s',
    async (command) => {
      expect(only(await read(command))).toMatchObject({
        code: 'hooks.env.undeclared',
        severity: 'warning',
        hint: 'Add `passEnv: [GH_TOKEN]` to the action if the command is to see it.',
      })
    },
  )

  test.each([
    'echo "${GH_TOKEN:-none}"',
    'GH_TOKEN=1; echo $GH_TOKEN',
    `echo '$GH_TOKEN'`,
    'echo \\$GH_TOKEN',
    'for F in a b; do echo $F; done',
    'read -r LINE; echo $LINE $HOME $PATH $PWD $LC_ALL $HOOK_EVENT $RANDOM',
    'echo $lower',
  ])('but not where it is not read, or comes from elsewhere: %s', async (command) => {
    expect((await read(command)).diagnostics).toEqual([])
  })

  test('but not when it is declared or of a preset', async () => {
    expect((await read('echo $GH_TOKEN', {}, { passEnv: ['GH_TOKEN'] })).diagnostics).toEqual([])
    expect((await read('echo $GH_TOKEN', {}, { env: { GH_TOKEN: 'y' } })).diagnostics).toEqual([])
    expect((await read('echo $HTTPS_PROXY', { envPresets: ['proxy'] })).diagnostics).toEqual([])
    expect(codes(await read('echo $HTTPS_PROXY'))).toEqual(['hooks.env.undeclared'])
  })

  // PostHog/posthog .claude/settings.json reads $TOOL_ARGS, which nobody ever set: a formatter that silently did nothing.
  test('and one that nobody has is unset', async () => {
    expect(only(await read('prettier --write $TOOL_ARGS')).message).toBe(
      'The command uses `TOOL_ARGS`, which is not set for it.',
    )
  })
})

describe('bash for sh is said', () => {
  test.each([
    '[[ -f x ]] && y',
    'cat <<< "$x"',
    'diff <(a) <(b)',
    'x &> /dev/null',
    'x |& y',
    'names=(a b)',
    'source ./env.sh',
    'echo ${x//a/b}',
  ])('%s', async (command) => {
    expect(only(await claude({ command }))).toMatchObject({ code: 'hooks.shell.bash-only', hint: 'Add `shell: bash`.' })
    expect((await claude({ command, shell: 'bash' })).diagnostics).toEqual([])
  })

  test.each([
    '[ -f x ] && y',
    `grep '[[ ' x`,
    'echo "a <<< b"',
    'x > y 2>&1',
    '# [[ a ]]',
    'y=$(a); x ${y%/*}',
    'cat <<E\n[[ x\nE',
  ])('but not what sh knows: %s', async (command) => {
    expect((await claude({ command })).diagnostics).toEqual([])
  })
})

test('shell beside args has no effect, which is said', async () => {
  expect(only(await claude({ command: 'echo', args: ['x'], shell: 'bash' })).code).toBe('hooks.shell.unused')
})
