// Installs the locked dependencies with the pnpm version that package.json pins, then runs a task of run-steps.mjs, so
// that a fresh clone needs only Node and npm. npx is called once (it costs seconds); everything below it finds pnpm on
// PATH.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const { packageManager } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const task = process.argv[2]
const script = `pnpm install --frozen-lockfile --prefer-offline --silent && pnpm exec node scripts/run-steps.mjs ${task}`
const windows = process.platform === 'win32'

if (!existsSync(new URL('../node_modules', import.meta.url))) {
  console.error('The first run installs and builds everything; that takes about half a minute.')
}
const { status, error } = spawnSync(
  'npx',
  // A shell, which Windows needs to find npx, would take `&&` for itself.
  ['--yes', '--package', packageManager, '--call', windows ? `"${script}"` : script],
  {
    stdio: 'inherit',
    cwd: new URL('..', import.meta.url),
    shell: windows,
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', npm_config_update_notifier: 'false' },
  },
)
if (error) {
  console.error(`Cannot start npx: ${error.message}. Install Node 20.19 or newer, which brings npm and npx.`)
}
process.exit(status ?? 1)
