/** Every diagnostic code of this package, with a line for its documentation. */
export const diagnosticCodes = {
  'script.loop.not-last': 'Only the last turn of a script can repeat; no turn behind it would ever be reached.',
} as const
