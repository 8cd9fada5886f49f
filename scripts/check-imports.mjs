// Checks every module of the packages against the table of allowed imports and the house rules that a type checker
// can't see. Prints how many modules it read, and fails unless they are all that are on disk: a reader that stops
// seeing modules must not pass.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkModules } from './imports/check-modules.mjs'
import { table } from './imports/table.mjs'

/** Texts of package.json, `src/**` and `test/**` of every folder under packages/ and apps/. */
export function readTree(root) {
  const folders = ['packages', 'apps'].flatMap((parent) =>
    folderNames(join(root, parent)).map((name) => join(parent, name)),
  )
  return folders.flatMap((folder) => [
    ...read(root, join(folder, 'package.json')),
    ...walk(join(root, folder, 'src')).flatMap((path) => read(root, relative(root, path))),
    ...walk(join(root, folder, 'test'))
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => read(root, relative(root, path))),
  ])
}

function read(root, path) {
  const file = join(root, path)
  return existsSync(file) ? [{ path: path.split(sep).join('/'), text: readFileSync(file, 'utf8') }] : []
}

function walk(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules' && name !== 'fixtures' && name !== 'golden')
    .flatMap((item) => (item.isDirectory() ? walk(join(folder, item.name)) : [join(folder, item.name)]))
}

function folderNames(parent) {
  return readdirSync(parent, { withFileTypes: true })
    .filter((item) => item.isDirectory())
    .map(({ name }) => name)
}

/** Counted without the walk above, which it is there to check. */
function countModules(folder) {
  return readdirSync(folder, { recursive: true }).filter((path) => path.endsWith('.ts')).length
}

/** What is wrong with the tree, a line each, and how much was read. */
export function checkTree(root, table) {
  const { violations, modules, imports } = checkModules(readTree(root), table)
  const problems = violations.map(({ file, line, reason }) => `${file}:${line}: ${reason}`)
  let total = 0
  for (const [name, read] of modules) {
    const source = join(root, table[name].folder, 'src')
    const onDisk = existsSync(source) ? countModules(source) : 0
    if (read !== onDisk) problems.push(`${table[name].folder}/src: read ${read} modules, but ${onDisk} are on disk.`)
    total += read
  }
  if (imports < total) {
    problems.push(`Found only ${imports} imports in ${total} modules, which can't be: the reader is broken.`)
  }
  const summary = `Read ${total} modules with ${imports} imports in ${modules.size} packages. Problems: ${problems.length}.`
  return { problems, summary }
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { problems, summary } = checkTree(fileURLToPath(new URL('..', import.meta.url)), table)
  for (const problem of problems) console.error(problem)
  console.log(summary)
  process.exitCode = problems.length > 0 ? 1 : 0
}
