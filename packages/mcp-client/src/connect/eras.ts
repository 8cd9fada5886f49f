/** Which revisions a server speaks: those that begin with `initialize`, or those whose every request says all about itself. */
export type Era = '2025' | '2026'

/**
 * What was found out about servers over HTTP, by address, so that each is asked once. A verdict is forgotten as soon as
 * connecting with it fails.
 */
export class Eras {
  readonly #verdicts = new Map<string, Era>()

  of(url: string): Era | undefined {
    return this.#verdicts.get(url)
  }

  learn(url: string, era: Era): void {
    this.#verdicts.set(url, era)
  }

  forget(url: string): void {
    this.#verdicts.delete(url)
  }
}
