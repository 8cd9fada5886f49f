// Checks what would be published: packs every package as pnpm publishes it, looks at every file in it, lets publint and
// attw judge the tarballs, installs them outside of the repository and uses them there as a stranger would: the libraries
// in an empty folder, the product globally, below an empty prefix and with an empty home.
import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { table } from './imports/table.mjs'
import { checkContents } from './tarball-contents.mjs'
import { typescriptBin } from './typescript.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const problems = []
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

/** Runs a program; a failure becomes a problem with its output. Returns its standard output, or undefined. */
async function run(what, file, args, cwd = root, env = process.env) {
  try {
    const { stdout } = await promisify(execFile)(file, args, { cwd, env, maxBuffer: 2 ** 26 })
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
  const folder = temporaryFolder('ext-contents-')
  await run(name, 'tar', ['-xzf', tarball, '-C', folder])
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .map((item) => join(item.parentPath, item.name))
    .map((file) => ({
      path: relative(join(folder, 'package'), file).split(sep).join('/'),
      text: readFileSync(file, 'utf8'),
    }))
  const manifest = readJson(join(folder, 'package/package.json'))
  // That of the superuser is everybody's, and stands in examples of what not to do.
  const homes = ['/root'].includes(homedir()) ? [] : [join(homedir(), sep)]
  const traces = [root.replace(/[/\\]$/, ''), ...homes]
  for (const problem of checkContents(files, manifest, traces, table[name].product === true))
    problems.push(`${name}: in the tarball: ${problem}`)
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

function temporaryFolder(prefix) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), prefix)))
  temporary.push(folder)
  return folder
}

/** Installs tarballs in one call into a new empty folder, as a stranger would; undefined if npm fails. */
async function install(packages) {
  const folder = temporaryFolder('ext-install-')
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
  const folder = temporaryFolder('ext-global-')
  const [prefix, home, project] = ['prefix', 'home', 'project'].map((part) => join(folder, part))
  for (const each of [prefix, home, project]) mkdirSync(each)
  const tarballs = packages.map(({ tarball }) => tarball)
  const args = ['install', '--global', '--prefix', prefix, ...FLAGS, ...tarballs]
  if ((await run('npm install --global of the tarballs', 'npm', args, project)) === undefined) return
  const windows = process.platform === 'win32'
  const modules = join(prefix, windows ? 'node_modules' : 'lib/node_modules')
  checkManifest(name, join(modules, '..'))
  // Nothing of this repository, and nothing of who runs this.
  const bin = join(prefix, windows ? 'ext.cmd' : 'bin/ext')
  const use = (...words) =>
    run(`${name}, installed globally`, bin, words, project, { PATH: process.env.PATH, HOME: home, USERPROFILE: home })
  const printed = await use('--version')
  if (printed !== undefined && printed.trim() !== version) {
    problems.push(`${name}: ext --version printed ${JSON.stringify(printed)}, not ${version}.`)
  }
  const found = await use('doctor')
  if (found !== undefined && found.trim() !== '0 errors, 0 warnings') {
    problems.push(`${name}: ext doctor said of an empty folder:\n${found}`)
  }
  for (const left of [home, project].filter((each) => readdirSync(each).length > 0)) {
    problems.push(`${name}: ext doctor left ${readdirSync(left).join(', ')} in ${left}.`)
  }
  // The demo needs everything at once: its files, the filesystem server and every library.
  await use('demo')
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
