// Builds the package in the current folder: validators from its JSON Schemas, JavaScript with tsup, declarations
// with tsc. The entries are read from package.json `exports`, so the two can't drift apart; a product's
// entry is `src/main.ts`.
import { existsSync, readFileSync } from 'node:fs'
import { build } from 'tsup'
import { bundleConfigSchema } from './bundle-config-schema.mjs'
import { generateValidators } from './generate-validators.mjs'
import { typescript } from './typescript.mjs'

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const entry = {}
for (const target of Object.values(manifest.exports)) {
  const file = typeof target === 'string' ? undefined : target.default
  const name = file?.match(/^\.\/dist\/(.+)\.js$/)?.[1]
  if (name) entry[name] = `src/${name}.ts`
}
if (existsSync('src/main.ts')) entry.main = 'src/main.ts'
for (const file of Object.values(entry)) {
  if (existsSync(file)) continue
  console.error(`package.json exports what would be built from ${file}, but there is no such file.`)
  process.exit(1)
}

await generateValidators(process.cwd())
await build({
  config: false,
  entry,
  format: ['esm'],
  target: 'node20',
  platform: 'neutral',
  splitting: true,
  treeshake: false,
  clean: true,
  dts: false,
  silent: true,
  external: [/^node:/],
  // tsup would write `fs` for `node:fs`, which other runtimes don't know.
  removeNodeProtocol: false,
})
bundleConfigSchema(process.cwd())
process.exit(typescript(['-p', 'tsconfig.build.json']))
