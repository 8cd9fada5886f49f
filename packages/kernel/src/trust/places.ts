import { word } from './text.js'
import type { HashPort, TrustSubject } from './types.js'

/** Paths of one subject. A root that is reached through a link counts as the folder that it leads to. */
export class Places {
  readonly root: string
  readonly rootExists: boolean
  /** Where relative paths start. */
  readonly base: string
  readonly #written: string
  readonly #windows: boolean

  constructor({ root, runs }: TrustSubject, port: HashPort) {
    this.#windows = /^([A-Za-z]:)?[\\]|^[A-Za-z]:[/]/.test(root)
    this.#written = this.#tidy(root)
    const real = port.realPath(this.#written)
    this.rootExists = real !== undefined
    this.root = real === undefined ? this.#written : this.#tidy(real)
    this.base = this.root
    const cwd = runs.cwd ?? runs.sessionCwd
    if (cwd !== undefined) this.base = this.absolute(cwd)
  }

  /** A path, or a word that may be one. */
  reroot(text: string): string {
    if (text !== this.#written && !text.startsWith(inside(this.#written))) return text
    return this.root + text.slice(this.#written.length)
  }

  absolute(path: string): string {
    const isAbsolute = path.startsWith('/') || (this.#windows && /^(\\|[A-Za-z]:[\\/])/.test(path))
    return this.reroot(this.#tidy(isAbsolute ? path : `${this.base}/${path}`))
  }

  isBelow(path: string | undefined): boolean {
    return path !== undefined && this.#tidy(path).startsWith(inside(this.root))
  }

  isBelowBase(path: string | undefined): boolean {
    return path !== undefined && this.#tidy(path).startsWith(inside(this.base))
  }

  /** For people, as one word: from the root if it lies below. */
  show(path: string): string {
    const tidy = this.#tidy(path)
    if (tidy === this.root) return '.'
    return word(this.isBelow(tidy) ? `./${tidy.slice(inside(this.root).length)}` : tidy)
  }

  /** Where a path leads, if that is somewhere else. */
  link(path: string, real: string | undefined): readonly string[] {
    return real === undefined || this.#tidy(real) === path ? [] : ['->', this.show(real)]
  }

  /** Only what can't change where the path leads: `..` behind a link could. */
  #tidy(path: string): string {
    const slashes = this.#windows ? path.replaceAll('\\', '/') : path
    const start = this.#windows && slashes.startsWith('//') ? '//' : slashes.startsWith('/') ? '/' : ''
    return (
      start +
      slashes
        .split('/')
        .filter((part) => part !== '' && part !== '.')
        .join('/')
    )
  }
}

function inside(folder: string): string {
  return folder.endsWith('/') ? folder : `${folder}/`
}
