/** Keywords of JSON Schema whose value is a map of names to schemas: in there, `default` or `enum` are names, not keywords. */
export const SCHEMA_MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
])

/** Keywords whose value is data. */
export const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'example'])
