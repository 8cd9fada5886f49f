import type { SessionRef, Tool } from '@ext/kernel/contract'
import type { FolderSource, HostPorts, Snapshot } from '@ext/kernel/types'
import { expectTypeOf, it } from 'vitest'
import { loadSkills } from '../src/index.js'
import type { Activation, Skill, Skills } from '../src/types.js'

/** What an agent asks of whatever brings it tools and context. */
interface Extension {
  session(ref: SessionRef): {
    tools?(): readonly Tool[]
    context?(): readonly { readonly by: string; readonly place: 'system' | 'turn'; readonly text: string }[]
  }
}

it('fits the extension port of an agent as it is', () => {
  expectTypeOf<Skills>().toExtend<Extension>()
})

it('takes folders and a file port', () => {
  expectTypeOf(loadSkills).toBeCallableWith({ layers: [] as FolderSource[], ports: {} as HostPorts, projectDir: '/' })
  expectTypeOf(loadSkills).returns.resolves.toEqualTypeOf<Skills>()
  expectTypeOf<Skills['snapshot']>().toEqualTypeOf<Snapshot<Skill>>()
})

it('tells an activation from a problem by its skill', () => {
  const activation = {} as Activation
  if (activation.skill) expectTypeOf(activation.text).toEqualTypeOf<string>()
  else expectTypeOf(activation.hint).toEqualTypeOf<string>()
})
