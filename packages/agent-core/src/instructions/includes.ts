import { folderOf, joined } from './paths.js'

/** A file that another one names with `@`. */
export interface Include {
  readonly written: string
  readonly path: string
  /** It can't be anything but a file: what is only a mention, such as `@alice`, need not be there. */
  readonly isPath: boolean
}

/**
 * The files that a text names as `@path`, outside of code. They are read as they are: nothing in this program runs what they
 * hold.
 * @param home what `~` stands for
 */
export function includesIn(text: string, file: string, home: string | undefined): readonly Include[] {
  const found = new Map<string, Include>()
  for (const [, mention = ''] of withoutCode(text).matchAll(/(?:^|[\s(])@([^\s`)]+)/g)) {
    const written = mention.replace(/[.,;:!?]+$/, '')
    const path = pathOf(written, file, home)
    if (path === undefined) continue
    const isPath = /^(\.{0,2}\/|~\/)/.test(written) || /\.(md|mdc|markdown|txt)$/.test(written)
    found.set(path, { written, path, isPath })
  }
  return [...found.values()]
}

function pathOf(written: string, file: string, home: string | undefined): string | undefined {
  if (written === '') return undefined
  if (written.startsWith('/')) return written
  if (written.startsWith('~/')) return home === undefined ? undefined : joined(home, written.slice(2))
  return joined(folderOf(file), written)
}

function withoutCode(text: string): string {
  return text.replace(/^( {0,3})(```|~~~)[\s\S]*?(^\1?\2|$(?![\s\S]))/gm, '').replace(/`[^`\n]*`/g, '')
}
