import { createSchemaValidator } from '@ext/kernel/ajv'
import { expect, test } from 'vitest'
import { schemaFault } from '../../src/registry/schema-fault.js'
import { BROKEN_SCHEMAS, GOOD_SCHEMAS } from './schemas.js'

const validator = await createSchemaValidator()

test.each(BROKEN_SCHEMAS)('a tool whose input schema has %s is left out, with the reason', (_what, schema, reason) => {
  expect(schemaFault(schema, validator)).toContain(reason)
})

test.each(GOOD_SCHEMAS)('a tool whose input schema has %s is offered', (_what, schema) => {
  expect(schemaFault(schema, validator)).toBeUndefined()
})
