import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'

const manifest = createRequire(import.meta.url).resolve('@ext/cli/package.json')

/** Where this package is installed. */
export const packageFolder: string = dirname(manifest)

/** Of this package, as published. */
export const version: string = (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version
