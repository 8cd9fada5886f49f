/** The absolute path with `.` and `..` resolved by text, and the aliases of procfs followed. */
export function absolutePath(text: string, cwd: string | undefined, home: string): string | undefined {
  const named = text === '~' || text.startsWith('~/') ? home + text.slice(1) : text
  const unified = /^[A-Za-z]:[\\/]/.test(named)
    ? `/${named[0]?.toLowerCase()}${named.slice(2).replaceAll('\\', '/')}`
    : named
  if (!unified.startsWith('/') && cwd === undefined) return undefined
  const names: string[] = []
  for (const name of (unified.startsWith('/') ? unified : `${cwd}/${unified}`).split('/')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
    if (names.length === 2 && names[0] === 'dev') descriptor(names)
    // `/proc/self/root` is `/`, whatever comes before or after it.
    if (name === 'root' && names.length >= 3 && isProcess(names.slice(-3))) names.length = 0
    if (name === 'cwd' && names.length >= 3 && isProcess(names.slice(-3))) {
      if (cwd === undefined) return undefined
      names.splice(0, names.length, ...cwd.split('/').filter(Boolean))
    }
  }
  return `/${names.join('/')}`
}

/** `/dev/fd` and the streams are links into procfs. */
function descriptor(names: string[]): void {
  const streams = ['stdin', 'stdout', 'stderr']
  const [, name = ''] = names
  const stream = streams.indexOf(name)
  if (name === 'fd') names.splice(0, 2, 'proc', 'self', 'fd')
  else if (stream !== -1) names.splice(0, 2, 'proc', 'self', 'fd', String(stream))
}

/**
 * The path with its `..` left in it, where one of them leads out of a folder that the line names: if that is a link,
 * it leads somewhere else than the text says. `undefined` where the text is all there is.
 * @param start the folder that is known to be no link
 */
export function unresolvedPath(text: string, cwd: string, home: string, start: string): string | undefined {
  if (!text.includes('..')) return undefined
  const named = text.startsWith('~/') ? home + text.slice(1) : text
  const whole = named.startsWith('/') ? named : `${cwd}/${named}`
  const known = whole === start || whole.startsWith(`${start}/`) ? whole.slice(start.length) : whole
  return /\/(?!\.\.?(?:\/|$))[^/]+\/(?:\.?\/)*\.\.(?:\/|$)/.test(known) ? whole : undefined
}

function isProcess([proc, id]: readonly string[]): boolean {
  return proc === 'proc' && id !== undefined && /^(?:self|thread-self|\d+)$/.test(id)
}

/** Files that hold nothing and keep nothing, and the streams that the command has anyway. */
const FREE = /^\/dev\/(?:null|zero|full|random|urandom|std(?:in|out|err)|tty|fd\/\d+)$|^\/proc\/self\/fd\/\d+$/

export function isFree(path: string): boolean {
  return FREE.test(path)
}

export function isBelow(path: string, folder: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`)
}

/** The host of a URL, or of what programs take for one; `undefined` when it can't be told. */
export function hostOf(text: string): string | undefined {
  const [, authority] = /^(?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#\\]+)/i.exec(text) ?? /^([^/?#\\]+)/.exec(text) ?? []
  const host = authority
    ?.slice(authority.lastIndexOf('@') + 1)
    .replace(/:\d*$/, '')
    .replace(/\.$/, '')
    .toLowerCase()
  return host && /^[a-z0-9.\-_[\]:]+$/.test(host) ? host : undefined
}
