import { type Check, named } from './check.js'

/**
 * Folders at the root of a machine that hardly any project has. In a rule `/etc` is one next to the file that the rule is
 * in.
 */
const ROOT_FOLDERS = new Set(
  'boot etc home lib64 mnt nix opt proc root sbin srv sys tmp Users usr var Volumes'.split(' '),
)

export const wrongAnchor: Check = (subject, { host }) => {
  const { rule, sourceDir, source } = subject
  const { specifier = '', tool } = rule
  if (subject.about !== 'path') return undefined
  const fault = (what: string, instead: string) =>
    ({ code: 'permission.lint.anchor', message: `The ${named(subject)} ${what}.`, hint: instead }) as const
  const write = (path: string) => `Write \`${tool}(${path})\`.`

  const variable = /^(?:\$\{?([A-Z_]+)\}?|%([A-Z_]+)%)[\\/]*/i.exec(specifier)
  if (variable) {
    const rest = specifier.slice(variable[0].length)
    const name = (variable[1] ?? variable[2] ?? '').toUpperCase()
    const anchor = name === 'HOME' || name === 'USERPROFILE' ? '~/' : './'
    return fault(`begins with \`${variable[0]}\`, and variables are not looked up in rules`, write(anchor + rest))
  }
  if (/^[A-Za-z]:[\\/]/.test(specifier)) {
    const [drive = '', ...rest] = specifier.split(/[:\\/]+/)
    return fault(
      'begins with a drive letter, which is taken as a name',
      write(`//${[drive.toLowerCase(), ...rest].join('/')}`),
    )
  }
  if (/^~[^/]/.test(specifier) || specifier === '~') {
    const rest = specifier.slice(1).replace(/^\\/, '')
    return fault(
      'begins with `~` without a slash, so it is a file of this name',
      write(`~/${rest === '' ? '**' : rest}`),
    )
  }
  if (/^\/~\/|^\.\/~\/|^\/\/~\//.test(specifier)) {
    return fault(
      'has a slash in front of `~`, so it is a folder of this name',
      write(specifier.slice(specifier.indexOf('~'))),
    )
  }
  if (!specifier.startsWith('/') || specifier.startsWith('//')) return undefined
  const [, first = ''] = specifier.split('/')
  const looksAbsolute =
    [host.cwd, host.home].some((folder) => specifier === folder || specifier.startsWith(`${folder}/`)) ||
    (ROOT_FOLDERS.has(first) && (specifier.includes('/', 1) || first === 'etc' || first === 'tmp'))
  if (looksAbsolute) {
    return fault(
      `looks absolute, but \`/\` is \`${sourceDir}\` here`,
      `${write(`/${specifier}`)} For a folder next to the file, write \`.${specifier}\`.`,
    )
  }
  if (source.layer === 'user' && source.file !== undefined) {
    return fault(
      `starts at \`${sourceDir}\`, where the file of a person's own settings is, and not at a project`,
      `${write(`.${specifier}`)} For a path from the root, write \`/${specifier}\`.`,
    )
  }
  return undefined
}
