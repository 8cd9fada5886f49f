// Makes one JSON Schema of the whole configuration file out of `schema/config.template.json` and the schemas that the
// packages publish, for editors: they read one file, and few of them follow a `$ref` to another one.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const packages = fileURLToPath(new URL('../packages/', import.meta.url))

/** Writes `dist/config.schema.json` of the package at `root`, if it has a template. */
export function bundleConfigSchema(root) {
  const template = join(root, 'schema/config.template.json')
  if (!existsSync(template)) return
  const known = publishedSchemas(root)
  const $defs = {}
  const bundled = inline(readJson(template), '#')
  writeFileSync(join(root, 'dist/config.schema.json'), `${JSON.stringify({ ...bundled, $defs }, null, 2)}\n`)

  /** @param base where the `#` of the part stands in the bundle */
  function inline(part, base) {
    if (Array.isArray(part)) return part.map((each) => inline(each, base))
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(
      Object.entries(part).map(([key, value]) => [key, key === '$ref' ? place(value, base) : inline(value, base)]),
    )
  }

  function place(ref, base) {
    if (ref.startsWith('#')) return base + ref.slice(1)
    const schema = known.get(ref)
    if (!schema) throw new Error(`${template}: no package publishes the schema ${ref}.`)
    const name = ref.split('/').at(-1).replace('.json', '')
    if (!Object.hasOwn($defs, name)) {
      $defs[name] = {}
      const { $id: _id, $schema: _schema, ...rest } = schema
      $defs[name] = inline(rest, `#/$defs/${name}`)
    }
    return `#/$defs/${name}`
  }
}

function publishedSchemas(root) {
  const folders = [root, ...readdirSync(packages).map((name) => join(packages, name))].map((each) =>
    join(each, 'schema'),
  )
  const files = folders
    .filter(existsSync)
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((file) => file.endsWith('.schema.json'))
  return new Map(files.map(readJson).map((schema) => [schema.$id, schema]))
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}
