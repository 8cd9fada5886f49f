import { MASK } from './mask.js'

/** The password in `scheme://user:password@host`. The scheme is left out, or each of its characters could start it. */
const PASSWORD_IN_URL = /(:\/\/[^\s/?#@:]*:)[^\s/?#]*(?=@)/g

/** Keys that say by their start whose they are. */
const KEY = new RegExp(
  `(?<![A-Za-z0-9])(?:${[
    'sk-[\\w-]{16,}',
    '[rs]k_(?:live|test)_[A-Za-z0-9]{10,}',
    'gh[opsur]_[A-Za-z0-9]{16,}',
    'github_pat_\\w{16,}',
    'glpat-[\\w-]{16,}',
    'xox[a-z]-[\\w-]{10,}',
    'xapp-[\\w-]{10,}',
    '(?:AKIA|ASIA)[A-Z0-9]{16}',
    'AIza[\\w-]{30,}',
    'npm_[A-Za-z0-9]{30,}',
    'pypi-[\\w-]{30,}',
    'hf_[A-Za-z0-9]{30,}',
  ].join('|')})`,
  'g',
)

const BEARER = /\b(Bearer[ \t]+)[\w.~+/=-]{20,}/gi

/** Masks what looks like a secret wherever it stands. */
export function maskByValue(text: string): string {
  return maskTokens(maskPem(text)).replace(PASSWORD_IN_URL, `$1${MASK}`).replace(KEY, MASK).replace(BEARER, `$1${MASK}`)
}

/** Blocks from `-----BEGIN x-----` to `-----END x-----`; one without an end goes to the end of the text. */
function maskPem(text: string): string {
  let masked = ''
  let from = 0
  for (let start = text.indexOf('-----BEGIN '); start !== -1; start = text.indexOf('-----BEGIN ', from)) {
    masked += text.slice(from, start) + MASK
    const end = text.indexOf('-----END ', start)
    const close = end === -1 ? -1 : text.indexOf('-----', end + '-----END '.length)
    if (close === -1) return masked
    from = close + '-----'.length
  }
  return masked + text.slice(from)
}

/**
 * JSON web tokens: three parts, the first two of them JSON objects in base64. By hand, for a regular expression would
 * look at the same characters once for each `eyJ` in them.
 */
function maskTokens(text: string): string {
  const part = /[\w-]*/y
  const endOf = (at: number) => {
    part.lastIndex = at
    part.test(text)
    return part.lastIndex
  }
  let masked = ''
  let from = 0
  let next = 0
  for (let start = text.indexOf('eyJ'); start !== -1; start = text.indexOf('eyJ', next)) {
    next = endOf(start)
    if (text[next] !== '.' || !text.startsWith('eyJ', next + 1)) continue
    const second = endOf(next + 1)
    if (text[second] !== '.') continue
    next = endOf(second + 1)
    masked += text.slice(from, start) + MASK
    from = next
  }
  return masked + text.slice(from)
}
