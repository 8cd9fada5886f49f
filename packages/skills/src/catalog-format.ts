/** How the catalog is written. */
export type CatalogFormat = 'markdown' | 'xml'

/** One skill as the catalog lists it. */
export interface CatalogLine {
  readonly name: string
  /** For people, for example `[environment]`. */
  readonly hint: string | undefined
  readonly description: string
}

/** The parts that a catalog is put together from. */
export interface CatalogWriter {
  readonly intro: string
  readonly outro: string
  full(line: CatalogLine): string
  nameOnly(line: CatalogLine): string
  more(count: number): string
}

const INTRO = `# Skills

A skill holds the procedure for one kind of task. When a task fits a description below, load the skill with
\`load_skill\` before you start.
`

export function catalogWriter(format: CatalogFormat): CatalogWriter {
  return format === 'xml' ? XML : MARKDOWN
}

const more = (count: number): string =>
  count === 1
    ? 'There is one more skill than is listed here. Find it by what it is for, with `search_skills`.'
    : `There are ${count} more skills than are listed here. Find them by what they are for, with \`search_skills\`.`

const MARKDOWN: CatalogWriter = {
  intro: INTRO,
  outro: '',
  full: ({ name, hint, description }) => `\n- ${hint === undefined ? name : `${name} ${hint}`}: ${description}`,
  nameOnly: ({ name }) => `\n- ${name}`,
  more: (count) => `\n\n${more(count)}`,
}

const XML: CatalogWriter = {
  intro: `${INTRO}\n<available_skills>`,
  outro: '\n</available_skills>',
  full: ({ name, hint, description }) => {
    const args = hint === undefined ? '' : `<arguments>${escapeXml(hint)}</arguments>`
    return `\n<skill><name>${escapeXml(name)}</name>${args}<description>${escapeXml(description)}</description></skill>`
  },
  nameOnly: ({ name }) => `\n<skill><name>${escapeXml(name)}</name></skill>`,
  more: (count) => `\n\n${more(count)}`,
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
