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
    // `/proc/self/root` is `/`, whatever comes before or after it.
    if (name === 'root' && names.length >= 3 && isProcess(names.slice(-3))) names.length = 0
    if (name === 'cwd' && names.length >= 3 && isProcess(names.slice(-3))) {
      if (cwd === undefined) return undefined
      names.splice(0, names.length, ...cwd.split('/').filter(Boolean))
    }
  }
  return `/${names.join('/')}`
}

function isProcess([proc, id]: readonly string[]): boolean {
  return proc === 'proc' && id !== undefined && /^(?:self|thread-self|\d+)$/.test(id)
}

/** Files that hold nothing and keep nothing, and the streams that the command has anyway. */
const FREE = /^\/dev\/(?:null|zero|full|random|urandom|std(?:in|out|err)|tty|fd\/\d+)$|^\/proc\/self\/fd\/[012]$/

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
