import type { Located } from '@ext/kernel/types'

/** A SKILL.md that is looked at. */
export interface LintSubject {
  readonly file: string
  /** The whole text, without a byte order mark. */
  readonly text: string
  readonly body: string
  /** Line of the file that the body starts in. */
  readonly bodyLine: number
  /** Pointers of the fields that had to be guessed at: other programs may not read the header. */
  readonly rescued: readonly string[]
  readonly header: Located<Readonly<Record<string, unknown>>>
}

/** Which programs a skill is looked at for. */
export type LintProfile = 'portable' | 'lenient' | 'claude-code'

export const LINT_PROFILES: readonly LintProfile[] = ['portable', 'lenient', 'claude-code']
