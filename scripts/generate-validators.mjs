// Turns `schema/*.schema.json` of a package into one module of stand-alone ajv validators, bundled, so that
// no schema is compiled at run time and ajv is not a dependency of the libraries that only read their own files.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import standaloneCode from 'ajv/dist/standalone/index.js'
import { build } from 'esbuild'

/** `schema/server.schema.json` becomes the export `validateServer` of `src/config/validators.generated.ts`. */
export async function generateValidators(root) {
  const folder = join(root, 'schema')
  if (!existsSync(folder)) return
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.schema.json'))
    .sort()
  // Some schemas are for editors only.
  if (files.length === 0 || !usesValidators(join(root, 'src'))) return
  const schemas = files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
  const ajv = new Ajv2020({
    schemas,
    allErrors: true,
    discriminator: true,
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    // Complaints then bring the schema that they come from, and with it the keys that would have been right.
    verbose: true,
    code: { source: true, esm: true },
  })
  const names = Object.fromEntries(files.map((name, index) => [exportName(name), schemas[index].$id]))
  const bundled = await build({
    // ajv's helpers are found from here: the package itself does not depend on ajv.
    stdin: { contents: standaloneCode(ajv, names), resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'node20',
    platform: 'neutral',
    mainFields: ['main'],
  })
  mkdirSync(join(root, 'src/config'), { recursive: true })
  writeFileSync(
    join(root, 'src/config/validators.generated.ts'),
    `// @ts-nocheck -- generated from schema/*.schema.json by scripts/generate-validators.mjs; do not edit
import type { SchemaFunction } from '@ext/kernel'

${withTypes(bundled.outputFiles[0].text)}
`,
  )
}

/** Gives each export its type, so that callers stay strict; the generated body itself is not type-checked. */
function withTypes(code) {
  const [statement, list] = code.match(/export \{([^}]*)\};\s*$/) ?? []
  if (!list) throw new Error('esbuild no longer ends a bundle with its list of exports; adapt withTypes() to it.')
  const typed = list.split(',').map((pair) => {
    const [local, name = local] = pair.trim().split(' as ')
    return `const typed_${name}: SchemaFunction = ${local} as never\nexport { typed_${name} as ${name} }`
  })
  return code.replace(statement, () => typed.join('\n'))
}

function usesValidators(source) {
  return readdirSync(source, { recursive: true, withFileTypes: true }).some(
    (entry) =>
      entry.isFile() &&
      readFileSync(join(entry.parentPath ?? entry.path, entry.name), 'utf8').includes("/validators.generated.js'"),
  )
}

function exportName(file) {
  const words = file.replace('.schema.json', '').split(/[^A-Za-z0-9]+/)
  return `validate${words.map((word) => word[0].toUpperCase() + word.slice(1)).join('')}`
}
