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

  test("in single quotes is said: '$CLAUDE_PROJECT_DIR'/x.sh", async () => {
    expect(only(await claude({ command: "'$CLAUDE_PROJECT_DIR'/x.sh" }))).toMatchObject({
      code: 'hooks.shell.single-quoted',
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

test('shell beside args has no effect, which is said', async () => {
  expect(only(await claude({ command: 'echo', args: ['x'], shell: 'bash' })).code).toBe('hooks.shell.unused')
})
