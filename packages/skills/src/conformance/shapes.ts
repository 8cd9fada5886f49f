import type { ConformanceCase } from './cases.js'

/**
 * What is known of the header of a public skill: names, types and lengths, and not a word of it. A number is the length
 * of a text.
 */
export interface Shape {
  readonly repo: string
  readonly path: string
  /** It is a link to the file of another folder. */
  readonly link?: true
  readonly keys?: Readonly<Record<string, number | ShapeValue>>
  /** How the description is written. */
  readonly style?: 'PLAIN' | 'QUOTE_DOUBLE' | 'QUOTE_SINGLE' | 'BLOCK_FOLDED' | 'BLOCK_LITERAL'
  /** Keys whose values are written in brackets. */
  readonly flow?: readonly string[]
  /** Rules of the open format that it breaks. */
  readonly breaks?: readonly string[]
}

type ShapeValue = 'boolean' | { readonly list: number } | { readonly map: number; readonly of: readonly string[] }

/** The shapes of a file with one JSON object a line. */
export function readShapes(jsonl: string): readonly Shape[] {
  return jsonl
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Shape)
}

/** A case with a file that has this shape. What it has to become follows from what it breaks. */
export function caseOfShape(shape: Shape): ConformanceCase {
  const { repo, path, link, breaks = [] } = shape
  const id = `${repo}/${path}`
  const folder = path.split('/').at(-2) ?? ''
  const file = `skills/${folder}/SKILL.md`
  const why = 'A public skill has this shape.'
  const roots = [{ path: 'skills', layer: 'project' }] as const
  if (link) {
    const text = `---\nname: ${folder}\ndescription: Does it.\n---\nDo it.\n`
    const tree = [
      { path: `store/${folder}.md`, text },
      { path: file, link: `../../store/${folder}.md` },
    ]
    return { id, why, needs: 'links', tree, roots, expected: { loaded: [{ file, name: folder }], reported: [] } }
  }
  const name = nameOf(shape, folder)
  const tree = [{ path: file, text: `---\n${headerOf(shape, name)}---\nDo it.\n` }]
  const refused = breaks.includes('NAME_SPACE')
  const description = descriptionOf(shape)
  return {
    id,
    why,
    tree,
    roots,
    expected: refused
      ? { loaded: [], reported: [{ file, line: 2, column: 7 }] }
      : { loaded: [{ file, name: name ?? folder, description }], reported: [] },
  }
}

/** A name of the length that it has, with what it breaks. */
function nameOf({ keys = {}, breaks = [] }: Shape, folder: string): string | undefined {
  const length = keys['name']
  if (typeof length !== 'number') return undefined
  const isFolder = folder.length === length && !breaks.some((each) => each.startsWith('NAME_'))
  if (isFolder) return folder
  let name = 'x'.repeat(length)
  if (breaks.includes('NAME_SPACE')) name = `x ${name.slice(2)}`
  if (breaks.includes('NAME_UPPERCASE')) name = `X${name.slice(1)}`
  if (breaks.includes('NAME_PUNCT')) name = `${name.slice(0, -2)}:x`
  if (breaks.includes('NAME_HYPHENS')) name = `-${name.slice(1)}`
  return name
}

function descriptionOf({ keys = {} }: Shape): string {
  const length = keys['description']
  return sentence(typeof length === 'number' ? length : 1)
}

/** Text of a length, without a sign that YAML reads. */
function sentence(length: number): string {
  const text = 'Does one thing, then the next. '.repeat(Math.ceil(length / 31) + 1).slice(0, length)
  return text.replace(/[\s,.]$/, 'x')
}

function headerOf(shape: Shape, name: string | undefined): string {
  const { keys = {}, style, flow = [] } = shape
  let header = ''
  for (const [key, value] of Object.entries(keys)) {
    if (key === 'name') header += `name: ${name ?? ''}\n`
    else if (key === 'description') header += `description: ${styled(descriptionOf(shape), style)}\n`
    else header += fieldOf(key, value, flow.includes(key), shape)
  }
  return header
}

function styled(text: string, style: Shape['style']): string {
  switch (style) {
    case 'QUOTE_DOUBLE':
      return `"${text}"`
    case 'QUOTE_SINGLE':
      return `'${text}'`
    case 'BLOCK_FOLDED':
      return `>-\n  ${text}`
    case 'BLOCK_LITERAL':
      return `|-\n  ${text}`
    default:
      return text
  }
}

/** Lists of tools as they are written in public: with commas, with blanks, as lists. */
function fieldOf(key: string, value: number | ShapeValue, flow: boolean, { breaks = [] }: Shape): string {
  if (key === 'effort') return 'effort: high\n'
  if (key === 'context') return 'context: fork\n'
  const isTools = key === 'allowed-tools'
  if (value === 'boolean') return `${key}: true\n`
  if (typeof value === 'number') {
    if (!isTools) return `${key}: ${sentence(value)}\n`
    return `${key}: ${breaks.includes('ALLOWED_TOOLS_COMMAS') ? 'Read, Bash(git *), Grep' : 'Read Bash(git *)'}\n`
  }
  if ('list' in value) {
    const items = Array.from({ length: value.list }, (_, index) => (isTools ? `Tool${index}` : `item ${index}`))
    if (flow || items.length === 0) return `${key}: [${items.join(', ')}]\n`
    return `${key}:\n${items.map((item) => `  - ${item}\n`).join('')}`
  }
  const entries = Array.from({ length: value.map }, (_, index) => {
    const kind = value.of[index % Math.max(1, value.of.length)]
    const part =
      kind === 'boolean'
        ? 'true'
        : kind === 'number'
          ? '1'
          : kind === 'list'
            ? '[x]'
            : kind === 'map'
              ? '{x: y}'
              : 'text'
    return `key-${index}: ${part}`
  })
  if (flow || entries.length === 0) return `${key}: {${entries.join(', ')}}\n`
  return `${key}:\n${entries.map((entry) => `  ${entry}\n`).join('')}`
}
