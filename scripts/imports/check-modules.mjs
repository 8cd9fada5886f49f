// The rules: pure functions from the texts of the repository to what is wrong with them.
import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { readModules } from './read-modules.mjs'
import { FENCE_HOME, MACHINE_FOLDERS, MAX_LINES, RIM_FOLDERS } from './table.mjs'

/**
 * @param {readonly {path: string, text: string}[]} files package.json, `src/**` and `test/**` of every package, with
 *   paths relative to the root and `/` between folders
 * @param {typeof import('./table.mjs').table} table
 * @returns {{violations: {file: string, line: number, reason: string}[], modules: Map<string, number>, imports: number}}
 *   `modules` counts the modules under `src` that were read, by package
 */
export function checkModules(files, table) {
  const facts = readModules(files.filter(({ path }) => path.endsWith('.ts')))
  const packages = Object.entries(table).map(([name, rules]) => openPackage(name, rules, files, facts))
  const exported = new Map(packages.map(({ name, manifest }) => [name, Object.keys(manifest.exports ?? {})]))
  const violations = []
  const modules = new Map()
  let imports = 0
  for (const pkg of packages) {
    const report = (file, line, reason) => violations.push({ file, line, reason })
    modules.set(pkg.name, pkg.sources.length)
    for (const module of pkg.sources) {
      imports += module.facts.imports.length
      for (const found of module.facts.imports) checkImport(pkg, module, found, exported, report)
      checkModule(pkg, module, report)
    }
    for (const module of pkg.tests) {
      for (const found of module.facts.imports) checkTestImport(pkg, module, found, exported, report)
      checkLength(module, report)
    }
    checkManifest(pkg, report)
    checkEntries(pkg, report)
    checkCodes(pkg, report)
  }
  for (const { path } of files) {
    if (path.endsWith('/package.json') && !packages.some(({ folder }) => path === `${folder}/package.json`)) {
      violations.push({
        file: path,
        line: 1,
        reason: 'This package is not in scripts/imports/table.mjs. Add it there.',
      })
    }
  }
  return { violations, modules, imports }
}

function openPackage(name, rules, files, facts) {
  const { folder } = rules
  const inside = (part) =>
    files
      .filter(({ path }) => path.startsWith(`${folder}/${part}/`))
      .map(({ path, text }) => ({ path, text, facts: facts.get(path) }))
  const manifestText = files.find(({ path }) => path === `${folder}/package.json`)?.text ?? '{}'
  const manifest = JSON.parse(manifestText)
  const declared = Object.keys({
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
  })
  const sources = inside('src').filter(({ facts }) => facts)
  // A table of facts may be JSON, next to the module that reads it.
  const data = inside('src').filter(({ path }) => path.endsWith('.json') && isImported(path, sources))
  const strangers = inside('src').filter(({ path, facts }) => !facts && !data.some((each) => each.path === path))
  const tests = inside('test').filter(({ facts }) => facts)
  const lineOf = (dependency) => manifestText.slice(0, manifestText.indexOf(`"${dependency}"`)).split('\n').length
  return { name, ...rules, manifest, declared, lineOf, sources, data, strangers, tests }
}

function isImported(path, sources) {
  return sources.some(({ path: from, facts }) =>
    facts.imports.some(({ specifier }) => specifier && posix.join(posix.dirname(from), specifier) === path),
  )
}

function checkImport(pkg, module, { specifier, line }, exported, report) {
  const fail = (reason) => report(module.path, line, reason)
  if (specifier === undefined) {
    if (pkg.product) return
    return fail('The specifier of this import is computed, so nobody can check it. Write it as a string.')
  }
  if (specifier.startsWith('.') || specifier.startsWith('/')) return checkRelative(pkg, module, specifier, fail)
  if (isBuiltin(specifier)) {
    if (!mayUseMachine(module, pkg)) {
      fail(`Imports ${specifier} outside a node/ folder. Take what you need as a port, or move it under node/.`)
    }
    return
  }
  const imported = packageOf(specifier)
  if (imported.startsWith('@ext/')) checkSibling(pkg, module, specifier, exported, fail)
  else checkThirdParty(pkg, module, imported, fail)
  if (!pkg.declared.includes(imported)) fail(`Imports ${imported}, which ${pkg.folder}/package.json does not declare.`)
}

function mayUseMachine(module, pkg) {
  if (pkg.product || MACHINE_FOLDERS.some((folder) => inFolder(module, pkg, folder))) return true
  return pkg.machine !== undefined && module.path.startsWith(`${pkg.folder}/${pkg.machine}/`)
}

function checkRelative(pkg, module, specifier, fail) {
  const target = posix.join(posix.dirname(module.path), specifier)
  if (!target.startsWith(`${pkg.folder}/`)) return fail(`Imports ${specifier}, which leaves the package.`)
  if (pkg.data.some(({ path }) => path === target)) return
  const source = target.replace(/\.js$/, '.ts')
  if (!pkg.sources.some(({ path }) => path === source)) {
    const hint = source.endsWith('.generated.ts') ? ' It is generated; build first.' : ''
    return fail(`Imports ${specifier}, but there is no module ${source}.${hint}`)
  }
  if (pkg.product) return
  for (const rim of RIM_FOLDERS) {
    if (inFolder({ path: source }, pkg, rim) && !inFolder(module, pkg, rim)) {
      fail(`Imports ${specifier} from outside ${rim}/, which would pull it into an entry that must run anywhere.`)
    }
  }
}

function checkSibling(pkg, module, specifier, exported, fail) {
  const sibling = packageOf(specifier)
  if (!pkg.siblings.some((allowed) => covers(allowed, specifier)) || sibling === pkg.name) {
    const list = pkg.siblings.length > 0 ? pkg.siblings.join(', ') : 'no sibling'
    return fail(`Imports ${specifier}; ${pkg.name} may import ${list}.`)
  }
  if (!isExported(specifier, exported)) return fail(`Imports ${specifier}, which ${sibling} does not export.`)
  if (pkg.product) return
  for (const rim of ['node', 'testing']) {
    if (specifier === `${sibling}/${rim}` && !inFolder(module, pkg, rim)) {
      fail(`Imports ${specifier} outside a ${rim}/ folder, so its own entries would no longer run anywhere.`)
    }
  }
}

function checkThirdParty(pkg, module, imported, fail) {
  if (!pkg.thirdParty) return
  const home = pkg.thirdParty[imported]
  if (home === undefined) return fail(`Imports ${imported}, which the table does not allow for ${pkg.name}.`)
  if (!module.path.startsWith(`${pkg.folder}/${home}/`)) {
    fail(`Imports ${imported} outside ${pkg.folder}/${home}, its only place.`)
  }
}

/** Tests may use any package that is installed for them, but no inside of another package. */
function checkTestImport(pkg, module, { specifier, line }, exported, report) {
  if (specifier === undefined) return
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(module.path), specifier)
    if (!target.startsWith(`${pkg.folder}/`))
      report(module.path, line, `Imports ${specifier}, which leaves the package.`)
  } else if (specifier.startsWith('@ext/') && !isExported(specifier, exported)) {
    report(module.path, line, `Imports ${specifier}, which ${packageOf(specifier)} does not export.`)
  }
}

function checkModule(pkg, module, report) {
  const { facts, path } = module
  for (const { line, message } of facts.problems) report(path, line, `Cannot be parsed: ${message}`)
  if (facts.statements === 0) report(path, 1, 'The module is empty.')
  checkLength(module, report)
  if (!mayUseMachine(module, pkg)) {
    for (const { name, line } of facts.globals) {
      report(path, line, `Uses the global ${name} outside a node/ folder. Libraries print nothing and take ports.`)
    }
  }
  if (path !== FENCE_HOME) {
    const isFence = ({ text }) => text.trim() === '---'
    const fences = [...facts.strings.filter(isFence), ...facts.patterns.filter(({ text }) => /---|-\{3/.test(text))]
    for (const { line } of fences) {
      report(path, line, 'Looks for the fence --- by itself. Use splitFrontmatter of @ext/kernel/frontmatter.')
    }
  }
}

function checkLength({ path, text }, report) {
  const lines = text.trimEnd().split('\n').length
  if (lines > MAX_LINES && !path.endsWith('.generated.ts')) {
    report(path, MAX_LINES + 1, `The file has ${lines} lines; ${MAX_LINES} is the limit. Split it by what it does.`)
  }
}

function checkManifest(pkg, report) {
  const file = `${pkg.folder}/package.json`
  if (pkg.sources.length === 0) report(file, 1, 'The package has no module under src.')
  for (const { path } of pkg.strangers) report(path, 1, 'Only TypeScript modules (.ts) belong under src.')
  const imported = new Set(
    pkg.sources.flatMap(({ facts }) => facts.imports.map(({ specifier }) => specifier && packageOf(specifier))),
  )
  for (const dependency of pkg.declared) {
    const allowed = dependency.startsWith('@ext/')
      ? pkg.siblings.some((specifier) => covers(specifier, dependency) || packageOf(specifier) === dependency)
      : !pkg.thirdParty || Object.hasOwn(pkg.thirdParty, dependency)
    const line = pkg.lineOf(dependency)
    if (!allowed) report(file, line, `Depends on ${dependency}, which the table does not allow for ${pkg.name}.`)
    if (!imported.has(dependency)) {
      report(file, line, `Depends on ${dependency}, but no module under src imports it.`)
    }
  }
}

/** Entries other than those of the rim folders must not lie in one. */
function checkEntries(pkg, report) {
  for (const [subpath, target] of Object.entries(pkg.manifest.exports ?? {})) {
    const built = typeof target === 'string' ? target : target.default
    const path = built.replace('./dist/', `${pkg.folder}/src/`)
    const rim = RIM_FOLDERS.find((name) => inFolder({ path }, pkg, name))
    if (rim && !subpath.startsWith(`./${rim}`)) {
      report(
        `${pkg.folder}/package.json`,
        pkg.lineOf(subpath),
        `The entry ${subpath} lies in ${rim}/; name it ./${rim}.`,
      )
    }
  }
}

/** A code that nothing reports documents something that does not exist. */
function checkCodes(pkg, report) {
  const registry = pkg.sources.find(({ path }) => path === `${pkg.folder}/src/codes.ts`)
  if (!registry) return
  const others = pkg.sources.filter((module) => module !== registry).map(({ facts }) => facts)
  const used = new Set(others.flatMap(({ strings }) => strings.map(({ text }) => text)))
  const templates = others.flatMap((facts) => facts.templates).filter(({ head }) => head.includes('.'))
  for (const { name, line } of registry.facts.keys) {
    const reported = used.has(name) || templates.some(({ head, tail }) => name.startsWith(head) && name.endsWith(tail))
    if (!reported) report(registry.path, line, `Nothing under src reports the code '${name}'.`)
  }
}

/** `@a/b/c/d` and `@a/b` → `@a/b`; `x/y` → `x`. */
function packageOf(specifier) {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function covers(allowed, specifier) {
  return allowed.endsWith('/*') ? specifier.startsWith(allowed.slice(0, -1)) : specifier === allowed
}

function isExported(specifier, exported) {
  const name = packageOf(specifier)
  return exported.get(name)?.includes(`.${specifier.slice(name.length)}`) ?? false
}

function inFolder({ path }, { folder }, name) {
  return path.slice(folder.length).split('/').slice(0, -1).includes(name)
}
