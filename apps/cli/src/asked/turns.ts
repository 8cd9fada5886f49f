/** The terminal, which one question has at a time. */
export interface Turns {
  /** Does the work once nobody else asks. */
  take<T>(work: () => Promise<T>): Promise<T>
}

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return {
    take(work) {
      const turn = last.then(work)
      last = turn.catch(() => {})
      return turn
    },
  }
}

/** Whether there is a person to ask. */
export function hasTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}
