import { createReporter, type Diagnostic, messageOf } from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'

const report = createReporter(diagnosticCodes)

const MAX_PROBLEMS = 10

/** Calls functions of the program that only listen: what they throw must not end up in the life of a server. */
export class Guard {
  readonly #problems = new Map<string, Diagnostic>()

  /** @param name what the program calls it */
  call(name: string, listener: () => unknown): void {
    try {
      const given = listener()
      // Nobody waits for one that is async, and what it rejects with would end the program.
      if (given instanceof Promise) given.catch((error: unknown) => this.#note(name, error))
    } catch (error) {
      this.#note(name, error)
    }
  }

  #note(name: string, error: unknown): void {
    const message = `\`${name}\` threw an error: ${messageOf(error)}.`
    if (this.#problems.size >= MAX_PROBLEMS || this.#problems.has(message)) return
    const hint = 'Everything else went on; the function has to be fixed.'
    this.#problems.set(message, report.warning('mcp.listener.failed', { layer: 'session', name }, message, { hint }))
  }

  /** Each message once. */
  get diagnostics(): readonly Diagnostic[] {
    return [...this.#problems.values()]
  }
}
