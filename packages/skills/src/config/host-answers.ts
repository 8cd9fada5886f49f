import { createReporter, messageOf, sourceOf } from '@ext/kernel'
import type { Diagnostic, Source, SourceRef } from '@ext/kernel/types'
import { diagnosticCodes } from '../codes.js'
import type { SkillsOptions } from '../types.js'

const report = createReporter(diagnosticCodes)

interface Failure {
  readonly callback: 'trusted' | 'knownTools'
  readonly why: string
  /** Of the first skill that was asked about. */
  readonly source: SourceRef | undefined
}

const INSTEAD = {
  trusted: 'what it was asked about counts as not approved',
  knownTools: 'names of tools are not checked',
} as const

/** Asks the host. A callback that throws costs its answer and nothing else, and is spoken of. */
export class HostAnswers {
  readonly #host: Pick<SkillsOptions, 'trusted' | 'knownTools'>
  readonly #failures = new Map<string, Failure>()

  constructor(host: Pick<SkillsOptions, 'trusted' | 'knownTools'>) {
    this.#host = host
  }

  trusted(source: SourceRef): boolean {
    try {
      return this.#host.trusted?.(source) === true
    } catch (error) {
      this.#failed('trusted', error, source)
      return false
    }
  }

  /** @returns `undefined` if nobody can say */
  knownTools(): readonly string[] | undefined {
    try {
      const names = this.#host.knownTools?.()
      return names && [...names]
    } catch (error) {
      this.#failed('knownTools', error)
      return undefined
    }
  }

  /** What has failed since the last {@link forget}, each fault once. */
  diagnostics(): readonly Diagnostic[] {
    return [...this.#failures.values()].map(({ callback, why, source }) => {
      const place: Source = source
        ? { ...sourceOf(source), line: 1, column: 1 }
        : { layer: 'built-in', name: `the host's ${callback}` }
      const message = `The callback \`${callback}\` of the host failed, so ${INSTEAD[callback]}: ${why}`
      const hint = `This is a fault of the program that loads the skills, not of a file: its \`${callback}\` must not throw.`
      return report.error('skills.host.failed', place, message, { hint })
    })
  }

  forget(): void {
    this.#failures.clear()
  }

  #failed(callback: Failure['callback'], error: unknown, source?: SourceRef): void {
    const why = messageOf(error)
    const key = `${callback}:${why}`
    if (!this.#failures.has(key)) this.#failures.set(key, { callback, why, source })
  }
}
