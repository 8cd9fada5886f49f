import type { ProcessResult } from '../types.js'

/** A child that behaves badly in one way. */
export interface HostileChild {
  /** A script for `sh`. */
  readonly script: string
  /** What it is given to read, if that matters. */
  readonly stdin?: string
  /** What becomes of it under a time-out of a second. */
  readonly outcome: ProcessResult['outcome']
}

/** What a {@link HostileChild} does. */
export type HostileName =
  | 'ignoresTerm'
  | 'leavesGrandchildWithPipes'
  | 'hasStubbornGrandchild'
  | 'neverReads'
  | 'floodsStdout'
  | 'floodsStderr'
  | 'endsAtOnce'
  | 'forksTwice'
  | 'forksOnAndOn'
  | 'writesForEver'
  | 'stopsItself'
  | 'closesItsPipes'
  | 'leavesItsGroup'

const STUBBORN = 'trap "" TERM; while :; do sleep 1; done'
const LARGE = 'x'.repeat(8 * 1024 * 1024)

/**
 * Children that misbehave, by what they do, for tests of whatever runs or ends children. All live for minutes or for
 * ever unless their outcome is `ended`. `leavesItsGroup` needs `setsid`, so it is for Linux.
 */
export const hostileChildren: Readonly<Record<HostileName, HostileChild>> = {
  ignoresTerm: { script: STUBBORN, outcome: 'timed-out' },
  leavesGrandchildWithPipes: { script: 'sleep 300 & exit 0', outcome: 'ended' },
  hasStubbornGrandchild: { script: `(${STUBBORN}) & wait`, outcome: 'timed-out' },
  neverReads: { script: 'sleep 300', stdin: LARGE, outcome: 'timed-out' },
  floodsStdout: { script: 'yes', outcome: 'timed-out' },
  floodsStderr: { script: 'yes >&2', outcome: 'timed-out' },
  endsAtOnce: { script: 'exit 0', stdin: LARGE, outcome: 'ended' },
  forksTwice: { script: `( (${STUBBORN}) & ); sleep 300`, outcome: 'timed-out' },
  forksOnAndOn: { script: 'for i in 1 2 3 4 5 6 7 8; do (sleep 300 & sleep 300) & done; wait', outcome: 'timed-out' },
  writesForEver: { script: 'while :; do echo x; sleep 0.1; done', outcome: 'timed-out' },
  stopsItself: { script: 'kill -STOP $$', outcome: 'timed-out' },
  closesItsPipes: { script: 'exec 0<&- 1>&- 2>&-; sleep 300', outcome: 'timed-out' },
  leavesItsGroup: { script: `setsid sh -c '${STUBBORN}' & wait`, outcome: 'timed-out' },
}
