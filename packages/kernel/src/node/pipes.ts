import { constants, type Stats, statSync } from 'node:fs'

/**
 * Node keeps the numbers of the last `stat` that was asked for synchronously. Where it resolves the links of a path next,
 * such as that of a module, it takes a pipe or a socket among them for the end of that path, and the module is not found.
 * To be called with whatever was found, before anything is imported.
 */
export function forgetPipe(info: Stats): void {
  const kind = info.mode & S_IFMT
  if (kind === S_IFIFO || kind === S_IFSOCK) statSync('/')
}

const { S_IFMT, S_IFIFO, S_IFSOCK } = constants
