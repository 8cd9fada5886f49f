import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AllowedCommand } from '../../src/policy/keys.js'
import { packageFault } from '../../src/policy/packages.js'

const DIGEST = `sha256:${'a1'.repeat(32)}`

interface More {
  readonly variables?: readonly string[]
  readonly of?: string
  readonly registries?: readonly string[]
}

/** Why a command line may not run, when its program is listed. */
function fault(line: string, { variables = [], of, registries }: More = {}): string | undefined {
  const [file = '', ...args] = line.split(' ')
  const listed: readonly AllowedCommand[] = [{ text: file, program: file, ...(of === undefined ? {} : { of }) }]
  return packageFault({ file, args, variables, listed, registries })
}

describe('a program that runs packages', () => {
  test.each([
    'npx -y @modelcontextprotocol/server-everything@2026.8.31 stdio --any thing',
    'npx server@1.2.3-beta.1+build',
    'npx --package=@acme/server@1.2.3 server --port 1',
    'npx -p server@1.2.3 -- server',
    '/usr/local/bin/npx server@1.2.3',
    'C:\\Program.Files\\nodejs\\npx.cmd server@1.2.3',
    'npm exec --yes server@1.2.3 -- --package=other',
    'pnpm dlx server@1.2.3',
    'pnpx server@1.2.3',
    'yarn dlx -q server@1.2.3',
    'bunx --bun server@1.2.3',
    'bun x server@1.2.3',
    'uvx server==1.2.3',
    'uvx --python 3.12 server@1.2.3 --any',
    'uvx --from server[http]==1.2.3rc1 server',
    'uv tool run server==2024.5.1.post1',
    'pipx run server==1.2.3',
    'pipx run --spec server==1.2.3 server',
    `docker run -i --rm -e TOKEN ghcr.io/acme/server@${DIGEST} --any`,
    `podman run --rm -i acme/server:latest@${DIGEST}`,
    'node server.js',
    'files-mcp-server --latest',
  ])('may run what is the same tomorrow: %s', (line) => {
    expect(fault(line)).toBeUndefined()
  })

  test.each([
    ['npx server', 'exactly which package it runs ("server"); write `name@1.2.3`'],
    ['npx', 'exactly'],
    ['npx server@latest', 'exactly'],
    ['npx server@1', 'exactly'],
    ['npx server@^1.2.3', 'exactly'],
    ['npx server@npm:evil@1.2.3', 'exactly'],
    ['npx acme/server@1.2.3', 'exactly'],
    ['npx ./server@1.2.3', 'exactly'],
    ['npx .server@1.2.3', 'exactly'],
    ['npx https://e.test/x.tgz', 'exactly'],
    ['npx git+ssh://git@e.test/a/b.git#v1.2.3', 'exactly'],
    ['npx -c evil server@1.2.3', 'option `-c`'],
    ['npx --call=evil server@1.2.3', 'option `--call`'],
    ['npx --prefix /tmp server@1.2.3', 'option `--prefix`'],
    ['npx --userconfig=./.npmrc server@1.2.3', 'option `--userconfig`'],
    ['npx -p server@1.2.3 -p evil server', 'exactly which package it runs ("evil")'],
    ['npx -p server@1.2.3 sh -c evil', 'program "sh", which is not named after its package'],
    ['npm exec server@1.2.3 --package=evil', 'exactly'],
    ['npm exec server@1.2.3 -c evil', 'option `-c`'],
    ['npm run server', 'something else than `npm exec`'],
    ['pnpm exec server@1.2.3', 'something else than `pnpm dlx`'],
    ['yarn server@1.2.3', 'something else than `yarn dlx`'],
    ['bunx server', 'exactly'],
    ['uvx server', 'exactly which package it runs ("server"); write `name==1.2.3`'],
    ['uvx server>=1.2.3', 'exactly'],
    ['uvx server==1.2.*', 'exactly'],
    ['uvx server@latest', 'exactly'],
    ['uvx --with evil server==1.2.3', 'exactly which package it runs ("evil")'],
    ['uvx --from server==1.2.3 python', 'program "python"'],
    ['uvx --from git+https://e.test/x server', 'exactly'],
    ['uvx --with-editable . server==1.2.3', 'option `--with-editable`'],
    ['uv run server.py', 'something else than `uv tool run`'],
    ['uv --directory /tmp tool run server==1.2.3', 'something else'],
    ['pipx run --path server.py', 'option `--path`'],
    ['pipx run --pip-args=--pre server==1.2.3', 'option `--pip-args`'],
    ['docker run -i acme/server', 'exactly which package it runs ("acme/server"); write `name@sha256:…`'],
    ['docker run acme/server:1.2.3', 'exactly'],
    [`docker run -v .:/app acme/server@${DIGEST}`, 'option `-v`'],
    [`docker run --entrypoint=sh acme/server@${DIGEST}`, 'option `--entrypoint`'],
    [`docker run --privileged acme/server@${DIGEST}`, 'option `--privileged`'],
    [`docker run -e NODE_OPTIONS=--import=data:evil acme/server@${DIGEST}`, 'sets `NODE_OPTIONS` in the container'],
    ['docker compose run server', 'something else than `docker run`'],
  ])('may not run what could be another thing tomorrow: %s', (line, why) => {
    expect(fault(line)).toContain(why)
  })

  test.each([
    'npm_config_registry',
    'NPM_CONFIG_USERCONFIG',
    'NODE_OPTIONS',
    'UV_INDEX_URL',
    'PIP_INDEX_URL',
    'HOME',
    'DOCKER_HOST',
    'LD_PRELOAD',
    'Path',
  ])('may not be steered by the variable %s', (name) => {
    expect(fault('npx server@1.2.3', { variables: ['TOKEN', name] })).toContain(`sets \`${name}\``)
    expect(fault('npx server@1.2.3', { variables: ['TOKEN'] })).toBeUndefined()
  })

  test('may run one package only, or one version of it, if the list says so', () => {
    expect(fault('npx @acme/a@1.2.3', { of: '@acme/a' })).toBeUndefined()
    expect(fault('npx @acme/b@1.2.3', { of: '@acme/a' })).toContain('`@acme/b` in version 1.2.3, which is not listed')
    expect(fault('npx a@1.2.3', { of: 'a@1.2.3' })).toBeUndefined()
    expect(fault('npx a@1.2.4', { of: 'a@1.2.3' })).toContain('1.2.4')
    expect(fault(`docker run acme/a@${DIGEST}`, { of: 'acme/a' })).toBeUndefined()
  })

  test('takes packages from where the machine does, or from where a list says', () => {
    expect(fault('npx --registry https://e.test server@1.2.3')).toContain(
      'takes packages from https://e.test, which no policy',
    )
    const registries = ['https://npm.acme.test', 'https://pypi.acme.test/simple', 'ghcr.io/acme', 'docker.io/library']
    const with_ = (line: string) => fault(line, { registries })
    expect(with_('npx server@1.2.3')).toContain('does not say from where')
    expect(with_('npx --registry=https://npm.acme.test/ server@1.2.3')).toBeUndefined()
    expect(with_('npx --registry=https://npm.acme.test.evil.test server@1.2.3')).toContain('not listed')
    expect(with_('uvx --default-index https://pypi.acme.test/simple server==1.2.3')).toBeUndefined()
    expect(with_('uvx --extra-index-url https://e.test server==1.2.3')).toContain('option `--extra-index-url`')
    expect(with_('yarn dlx --registry https://npm.acme.test server@1.2.3')).toContain('option `--registry`')
    expect(with_(`docker run ghcr.io/acme/server@${DIGEST}`)).toBeUndefined()
    expect(with_(`docker run ghcr.io/acme-evil/server@${DIGEST}`)).toContain('not listed')
    expect(with_(`docker run redis@${DIGEST}`)).toBeUndefined()
    expect(with_(`docker run acme/server@${DIGEST}`)).toContain('not listed')
  })

  test('never runs a package without a version, whatever stands before and behind it', () => {
    const word = fc.stringMatching(/^[\w@./:=-]{1,12}$/)
    fc.assert(
      fc.property(
        fc.constantFrom('npx', 'uvx', 'pnpm dlx', 'docker run'),
        fc.array(word, { maxLength: 4 }),
        (program, words) => {
          if (fault([program, ...words].join(' ')) !== undefined) return
          expect(words.join(' ')).toMatch(/@\d|==\d|@sha256:/)
        },
      ),
      { seed: 9, numRuns: 1000 },
    )
  })
})
