// Checks what would be published: packs every package as pnpm publishes it, lets publint and attw judge the tarballs,
// installs them in empty folders outside of the repository and uses them there as a stranger would.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { table } from './imports/table.mjs'
import { typescriptBin } from './typescript.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const problems = []
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

/** Runs a program; a failure becomes a problem with its output. Returns its standard output, or undefined. */
async function run(what, file, args, cwd = root) {
  try {
    const { stdout } = await promisify(execFile)(file, args, { cwd, maxBuffer: 2 ** 26 })
    return stdout
  } catch (error) {
    const output = [error.stdout, error.stderr].filter(Boolean).join('\n').trim()
    problems.push(`${what}: ${[file, ...args].join(' ')}\n${output || error.message}`)
    return undefined
  }
}

async function pack(name, target) {
  const folder = join(root, table[name].folder)
  if (!existsSync(join(folder, 'dist'))) {
    problems.push(`${name}: ${table[name].folder}/dist is missing. Build first.`)
    return undefined
  }
  const { version } = readJson(join(folder, 'package.json'))
  const packed = await run(name, 'pnpm', ['-C', folder, 'pack', '--pack-destination', target])
  const tarball = join(target, `${name.slice(1).replace('/', '-')}-${version}.tgz`)
  return packed === undefined ? undefined : { name, version, folder, tarball }
}

async function judge({ name, tarball }) {
  const bytes = readFileSync(tarball)
  const { messages, pkg } = await publint({
    strict: true,
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
  })
  for (const message of messages) problems.push(`${name}: publint: ${formatMessage(message, pkg)}`)
  const attw = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js')
  await run(name, process.execPath, [attw, tarball, '--profile', 'esm-only', '--format', 'ascii', '--no-color'])
}

const FLAGS = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--loglevel=error']

/** Installs tarballs in one call into a new empty folder, as a stranger would; undefined if npm fails. */
async function install(packages) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ext-install-')))
  temporary.push(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'stranger', private: true, type: 'module' }))
  const tarballs = packages.map(({ tarball }) => tarball)
  const done = await run('npm install of the tarballs', 'npm', ['install', ...FLAGS, ...tarballs], folder)
  return done === undefined ? undefined : folder
}

/** The packed manifest: real versions, and only siblings that the table allows. */
function checkManifest(name, installed) {
  const { dependencies = {} } = readJson(join(installed, 'node_modules', name, 'package.json'))
  const { siblings } = table[name]
  for (const [dependency, range] of Object.entries(dependencies)) {
    if (!/^[~^]?\d+\.\d+\.\d+/.test(range))
      problems.push(`${name}: depends on ${dependency}@${range}, no real version.`)
    const allowed = siblings.some((specifier) => specifier === '@ext/*' || specifier.startsWith(dependency))
    if (dependency.startsWith('@ext/') && !allowed) {
      problems.push(`${name}: pulls in ${dependency}, which scripts/imports/table.mjs does not allow.`)
    }
  }
}

/** Imports every entry in plain Node and type-checks a module that imports every entry. Returns how many there are. */
async function useLibraries(libraries) {
  const installed = await install(libraries)
  if (!installed) return 0
  for (const { name } of libraries) checkManifest(name, installed)
  const entries = libraries.flatMap(({ name, folder }) =>
    Object.keys(readJson(join(folder, 'package.json')).exports)
      .filter((subpath) => subpath !== './package.json')
      .map((subpath) => `${name}${subpath.slice(1)}`),
  )
  const script = entries.map(
    (entry) => `console.log(${JSON.stringify(entry)}, Object.keys(await import(${JSON.stringify(entry)})).length)`,
  )
  writeFileSync(join(installed, 'import.js'), script.join('\n'))
  const printed = await run('import in plain Node', process.execPath, ['import.js'], installed)
  for (const line of printed?.trim().split('\n') ?? []) {
    const [entry, names] = line.split(' ')
    console.log(`${entry} ${names}`)
    // A types entry is free to import; any other entry without a name is a build that lost its exports.
    const typesOnly = entry.endsWith('/types') || entry.endsWith('/contract')
    if (typesOnly !== (names === '0')) problems.push(`${entry}: exports ${names} names at run time.`)
  }
  // Until here without the optional peers; the types of the entries for them need them.
  const peers = libraries.flatMap(({ folder }) =>
    Object.entries(readJson(join(folder, 'package.json')).peerDependencies ?? {}),
  )
  const wanted = peers.map(([name, range]) => `${name}@${range}`)
  // The types of @ai-sdk/provider lean on these without bringing them.
  if (peers.some(([name]) => name === '@ai-sdk/provider')) wanted.push('@types/json-schema@^7.0.15')
  if (wanted.length > 0)
    await run('npm install of the optional peers', 'npm', ['install', ...FLAGS, ...wanted], installed)
  const uses = entries.map((entry, index) => `export type * as e${index} from ${JSON.stringify(entry)}`)
  writeFileSync(join(installed, 'use.ts'), uses.join('\n'))
  // No types of Node, which would hide that an entry needs them. AbortSignal is in DOM, Symbol.asyncDispose in the last.
  const lib = ['ES2023', 'DOM', 'ESNext.Disposable']
  const compilerOptions = { module: 'NodeNext', target: 'ES2022', lib, types: [], strict: true, noEmit: true }
  writeFileSync(join(installed, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }))
  await run('types of every entry', process.execPath, [typescriptBin, '-p', installed], installed)
  return entries.length
}

async function useProduct(packages, { name, version }) {
  const installed = await install(packages)
  if (!installed) return
  checkManifest(name, installed)
  const bin = join(installed, 'node_modules/.bin/ext')
  const printed = await run(`${name} outside of the repository`, bin, ['--version'], installed)
  if (printed !== undefined && printed.trim() !== version) {
    problems.push(`${name}: ext --version printed ${JSON.stringify(printed)}, not ${version}.`)
  }
  // The demo needs everything at once: its files, the filesystem server and every library.
  await run(`${name} outside of the repository`, bin, ['demo'], installed)
}

const temporary = [mkdtempSync(join(tmpdir(), 'ext-pack-'))]
try {
  const packages = await Promise.all(Object.keys(table).map((name) => pack(name, temporary[0])))
  if (problems.length === 0) {
    const product = packages.find(({ name }) => table[name].product)
    const libraries = packages.filter((each) => each !== product)
    const [entries] = await Promise.all([useLibraries(libraries), useProduct(packages, product)])
    for (const each of packages) await judge(each)
    console.log(`Used ${entries} entries of ${packages.length} packages. Problems: ${problems.length}.`)
  }
} finally {
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true })
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
