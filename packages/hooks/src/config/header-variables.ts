const VARIABLE = /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g

/** The variables that stand in the value of a header, as `$NAME` or `${NAME}`. */
export function headerVariables(value: string): readonly string[] {
  return [...value.matchAll(VARIABLE)].map(([, braced, plain]) => braced ?? plain ?? '')
}

/** Puts variables in. What is put in is never looked at again. */
export function fillHeader(value: string, find: (name: string) => string): string {
  return value.replace(VARIABLE, (_whole, braced?: string, plain?: string) => find(braced ?? plain ?? ''))
}
