import { suggest } from '@ext/kernel'
import type { SessionRef } from '@ext/kernel/contract'
import { resolvePath } from '@ext/kernel/match'
import type { FileStat } from '@ext/kernel/types'
import type { FileHost } from './host.js'

/** A path that a call names. */
export interface Place {
  /** Absolute, as it was named. */
  readonly path: string
  /** Where it really is: links followed, as far as they exist. */
  readonly real: string
  /** How to call it: from the working folder, if it is below it. */
  readonly shown: string
  /** `undefined`: there is nothing. */
  readonly stat: FileStat | undefined
  /** Where the links of the root above it lead, and the root as it is called. */
  readonly root: { readonly real: string; readonly path: string }
}

export type FoundPlace =
  | { readonly place: Place; readonly problem?: undefined }
  | { readonly place?: undefined; readonly problem: string }

/** Finds what a path leads to, and refuses what lies outside the folders of the session. */
export async function findPlace(text: string, session: SessionRef, host: FileHost): Promise<FoundPlace> {
  if (text === '' || /[\0-\x1f\x7f]/.test(text)) return { problem: 'The path is empty or holds control characters.' }
  const { files, home } = host
  const anchors = { cwd: session.cwd, home }
  const path = resolvePath(text, anchors)
  const shown = showPath(path, session)
  const real = await realPath(path, host)
  if (text.includes('..')) {
    // `link/../x` is one file to a person and another one to the file system.
    const written = text.startsWith('~/')
      ? home + text.slice(1)
      : text.startsWith('/')
        ? text
        : `${session.cwd}/${text}`
    if ((await realPath(written, host)) !== real) {
      return {
        problem: `\`${text}\` leads through a link or a missing folder and back. Write the path without \`..\`.`,
      }
    }
  }
  const roots = await Promise.all(
    host.roots(session).map(async (root) => ({ path: root, real: (await files.realPath(root)) ?? root })),
  )
  const root = roots.find((each) => isWithin(real, each.real))
  if (!root) {
    const folders = roots.map((each) => `\`${each.path}\``).join(', ')
    const isLink = roots.some((each) => isWithin(path, each.path))
    const what = isLink ? `\`${shown}\` is reached through a link and really is \`${real}\`, which` : `\`${shown}\``
    return { problem: `${what} lies outside the folders in which files may be touched: ${folders}.` }
  }
  return { place: { path, real, shown, stat: await files.stat(real), root } }
}

/** With its links resolved; of what does not exist yet, those of the deepest folder that does. */
async function realPath(path: string, { files }: FileHost): Promise<string> {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const real = await files.realPath(path.slice(0, end))
    if (real !== undefined) return (real === '/' ? '' : real) + path.slice(end) || '/'
  }
  return path
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)
}

export function showPath(path: string, { cwd }: SessionRef): string {
  if (path === cwd) return '.'
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path
}

/** What to say of a place where no file is that could be opened; `undefined` when there is one. */
export async function noFile(place: Place, session: SessionRef, host: FileHost): Promise<string | undefined> {
  const { shown, stat } = place
  if (!stat) return missing(place, session, host)
  if (stat.kind === 'folder') return `\`${shown}\` is a folder. Glob lists the files in it.`
  if (stat.kind === 'link') return `\`${shown}\` is a link that leads nowhere.`
  return stat.kind === 'file' ? undefined : `\`${shown}\` is a device, a pipe or a socket.`
}

/** Says how far the path exists, and what may have been meant. */
async function missing({ path, real, shown, root }: Place, session: SessionRef, host: FileHost): Promise<string> {
  const names = real.split('/').slice(1)
  for (let depth = names.length - 1; depth >= 0; depth--) {
    const folder = `/${names.slice(0, depth).join('/')}`
    if (!isWithin(folder, root.real)) break
    const items = await host.files.list(folder)
    if (!items) continue
    // As it was named, which may be another way than where it is.
    const above = path
      .split('/')
      .slice(0, depth - names.length)
      .join('/')
    const known = items.map(({ name }) => name).filter((name) => host.mayFind(`${above}/${name}`, session))
    const name = suggest(names[depth] ?? '', known)
    const rest = names.slice(depth + 1)
    const meant = name === undefined ? '' : ` Did you mean \`${showPath([above, name, ...rest].join('/'), session)}\`?`
    const gap = rest.length > 0 ? ` There is no \`${names[depth]}\` in \`${showPath(above || '/', session)}\`.` : ''
    return `\`${shown}\` does not exist.${gap}${meant} Relative paths start at \`${session.cwd}\`.`
  }
  return `\`${shown}\` does not exist.`
}
