export type SplitGlob =
  | { readonly folder: string; readonly glob: string; readonly problem?: undefined }
  | { readonly problem: string }

/**
 * Takes a path that a glob begins with into the folder that is searched: `../lib/*.ts` is `*.ts` right in `../lib`. So what is
 * searched is where the gate thinks it is.
 */
export function splitGlob(pattern: string, path: string): SplitGlob {
  const literal = /^(?:[^/*?[{\\]*\/)*/.exec(pattern)?.[0] ?? ''
  const rest = pattern.slice(literal.length)
  if (/(?:^|[/{,])\.\.?(?:[/},]|$)|[{,][/~]/.test(rest)) {
    return {
      problem: `\`${pattern}\`: write \`..\`, \`/\` and \`~\` at the beginning of a pattern only, as a path of its own.`,
    }
  }
  if (literal === '') return { folder: path, glob: rest }
  if (rest === '') return { problem: `\`${pattern}\` names a folder. Write \`${pattern}**\` for the files below it.` }
  const isAbsolute = literal.startsWith('/') || literal.startsWith('~/')
  const folder = literal === '/' ? '/' : literal.slice(0, -1)
  // Without a slash in front, a name would be one at any depth.
  return {
    folder: isAbsolute ? folder : `${path.replace(/\/+$/, '') || '/'}/${folder}`,
    glob: rest.includes('/') ? rest : `/${rest}`,
  }
}
