import type { SourceRef } from '@ext/kernel/types'
import type { RuleLanguage } from './rule-language.js'

/** What has to be known beside a header to say what it means. */
export interface CompileContext {
  /** Absolute, with `/`. Patterns of paths start here. */
  readonly projectDir: string
  readonly home: string
  /** True on file systems where names that differ in case are the same file. */
  readonly ignoreCase: boolean
  readonly language: RuleLanguage
  /** Whether somebody has agreed to what files of this source grant and run. Never throws. */
  trusted(source: SourceRef): boolean
  /** Names of the tools of the host; `undefined` if nobody can say what is no tool. Never throws. */
  knownTools(): readonly string[] | undefined
}
