import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'

const folder = new URL('../../schema/output/', import.meta.url)
const schemas = readdirSync(folder).map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')))
const ajv = new Ajv2020({ schemas, strict: true, strictRequired: false, allErrors: true })

/** What of a value departs from a published schema, as texts; nothing where it fits. */
export function departures(schema: string, value: unknown): readonly string[] {
  const validate = ajv.getSchema(`https://ext.dev/schema/output/${schema}.json`)
  if (!validate) throw new Error(`There is no schema ${schema}.`)
  validate(value)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

/** The types of events that the schema of the stream knows. */
export function knownEvents(): readonly string[] {
  const { $defs } = JSON.parse(readFileSync(new URL('run-event.schema.json', folder), 'utf8')) as { $defs: object }
  return Object.keys($defs)
}
