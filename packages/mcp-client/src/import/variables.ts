/** How texts of a program name variables; `none`: they don't. */
export type VariableStyle = 'editor' | 'shell' | 'braces' | 'none'

/** Where a text stands: what is put into a process or a request, an address, or where nothing is replaced. */
export type Where = 'value' | 'url' | 'plain'

export type Converted =
  | {
      readonly text: string
      /** Variables of the host in it. */
      readonly names: readonly string[]
      /** It names the folder of the project as where it starts. */
      readonly fromProject: boolean
      readonly problem?: undefined
    }
  | { readonly problem: string }

const PATTERNS: Readonly<Record<VariableStyle, RegExp>> = {
  editor: /\$\{([^}]*)\}/g,
  shell: /\$\{([^}]*)\}|\$([A-Za-z_]\w*)/g,
  braces: /\{((?:env|file):[^}]*)\}|\$\{([^}]*)\}/g,
  none: /\$\{([^}]*)\}/g,
}

const NAME = /^[A-Za-z_]\w*$/

/** Writes a text with `${NAME}` for variables, as our files do. Never guesses: what has no meaning here is a problem. */
export function convertText(text: string, style: VariableStyle, where: Where): Converted {
  const names: string[] = []
  let problem: string | undefined
  let fromProject = false
  const converted = text.replace(PATTERNS[style], (whole: string, first?: string, second?: string) => {
    const meaning = meaningOf(first, second, style)
    if (meaning === 'project' && where !== 'url') {
      fromProject = true
      return '.'
    }
    if (meaning === 'separator') return '/'
    if (meaning === undefined || meaning === 'project') {
      problem ??= `\`${whole}\` has no meaning here.`
      return whole
    }
    if (where === 'plain') {
      problem ??= `\`${whole}\` stands where variables are not replaced here; a server takes them from \`env\`.`
      return whole
    }
    names.push(meaning.name)
    return `\${${meaning.name}}`
  })
  return problem === undefined ? { text: converted, names, fromProject } : { problem }
}

type Meaning = 'project' | 'separator' | { readonly name: string } | undefined

function meaningOf(first: string | undefined, second: string | undefined, style: VariableStyle): Meaning {
  if (style === 'shell') return nameOf(first ?? second ?? '')
  if (style === 'braces') return first?.startsWith('env:') ? nameOf(first.slice(4)) : undefined
  if (style === 'none' || first === undefined) return undefined
  if (first === 'workspaceFolder' || first === 'workspaceRoot') return 'project'
  if (first === 'pathSeparator' || first === '/') return 'separator'
  if (first === 'userHome') return { name: 'HOME' }
  if (first.startsWith('env:')) return nameOf(first.slice(4))
  if (first.startsWith('input:')) return nameOf(variableName(first.slice(6)))
  return undefined
}

function nameOf(text: string): Meaning {
  return NAME.test(text) ? { name: text } : undefined
}

/** A name for a variable, made of other names: `github-token` becomes `GITHUB_TOKEN`. */
export function variableName(...parts: readonly string[]): string {
  const name = parts
    .join('_')
    .replace(/\W+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase()
  return /^\d/.test(name) ? `_${name}` : name
}
