import type { Located } from '@ext/kernel'
import type {
  Authorization,
  AuthorizeRequest,
  Behavior,
  Decision,
  AuthorizeOptions as GateOptions,
  Opinion,
  PermissionMode,
} from '@ext/kernel/contract'
import { expectTypeOf, test } from 'vitest'
import type {
  AuthorizeOptions,
  createPermission,
  Explanation,
  Permission,
  PermissionEntry,
  PermissionOptions,
  PermissionSession,
  Remembered,
  RememberOptions,
  UserPort,
} from '../src/index.js'
import type {
  CallReading,
  CompiledRule,
  CompiledRules,
  compileRule,
  compileRules,
  matchCall,
  matchReading,
  ParsedRule,
  parseRule,
  RuleCall,
  readCall,
} from '../src/rule/index.js'

test('an engine is made of options and gives sessions', () => {
  expectTypeOf<typeof createPermission>().toEqualTypeOf<(options: PermissionOptions) => Promise<Permission>>()
  expectTypeOf<PermissionSession['decide']>().parameters.toEqualTypeOf<
    [request: AuthorizeRequest, opinion?: Opinion | undefined]
  >()
  expectTypeOf<PermissionSession['decide']>().returns.toEqualTypeOf<Decision>()
  expectTypeOf<PermissionSession['authorize']>().returns.toEqualTypeOf<Promise<Authorization>>()
  expectTypeOf<Permission['defaultMode']>().toEqualTypeOf<PermissionMode>()
})

test('a session fits the gate of an agent', () => {
  expectTypeOf<PermissionSession['authorize']>().toExtend<
    (request: AuthorizeRequest, options: GateOptions) => Promise<Authorization>
  >()
  expectTypeOf<GateOptions>().toExtend<AuthorizeOptions>()
  expectTypeOf<PermissionSession['explain']>().returns.toEqualTypeOf<Promise<Explanation>>()
  expectTypeOf<PermissionSession['remember']>().toEqualTypeOf<
    (request: AuthorizeRequest, options: RememberOptions) => Promise<Remembered>
  >()
})

test('a host may leave out table, approval and user, but not the ports', () => {
  type Required_ = 'layers' | 'cwd' | 'ports'
  expectTypeOf<Pick<PermissionOptions, Required_>>().toExtend<PermissionOptions>()
  expectTypeOf<{ layers: []; cwd: string }>().not.toExtend<PermissionOptions>()
})

test('approval sees a rule with its effect or a mode', () => {
  expectTypeOf<NonNullable<PermissionOptions['approved']>>().parameters.toEqualTypeOf<
    [entry: Located<PermissionEntry>]
  >()
  expectTypeOf<Extract<PermissionEntry, { kind: 'rule' }>['effect']>().toEqualTypeOf<Behavior>()
})

test('a user port answers allow or deny', () => {
  expectTypeOf<() => Promise<{ behavior: 'allow' }>>().toExtend<UserPort['ask']>()
  expectTypeOf<() => Promise<{ behavior: 'ask' }>>().not.toExtend<UserPort['ask']>()
})

test('a rule goes from text to match in three steps', () => {
  expectTypeOf<typeof parseRule>().returns.toEqualTypeOf<ParsedRule>()
  expectTypeOf<typeof compileRule>().returns.toEqualTypeOf<CompiledRule>()
  expectTypeOf<typeof matchCall>().toEqualTypeOf<(compiled: CompiledRule, call: RuleCall) => boolean>()
  expectTypeOf<typeof compileRules>().returns.toEqualTypeOf<CompiledRules>()
})

test('a call is read once for many rules', () => {
  expectTypeOf<typeof readCall>().returns.toEqualTypeOf<CallReading>()
  expectTypeOf<typeof matchReading>().toEqualTypeOf<(compiled: CompiledRule, reading: CallReading) => boolean>()
})
