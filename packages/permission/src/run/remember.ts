import { appendToYaml, createReporter, type Diagnostic, type LayerName, messageOf } from '@ext/kernel'
import type { JsonValue } from '@ext/kernel/contract'
import { diagnosticCodes } from '../codes.js'
import { parseRule } from '../rule/parse.js'
import type { RememberFiles } from '../types.js'

const report = createReporter(diagnosticCodes)

interface Writing {
  readonly scope: 'local' | 'user'
  readonly expiresAt: number | undefined
  readonly where: RememberFiles | undefined
}

/** Appends allow rules to the file of a scope, in one step; its comments and the order of what it holds stay. */
export async function writeRules(
  rules: readonly string[],
  { scope, expiresAt, where }: Writing,
): Promise<{ readonly file?: string; readonly diagnostics: readonly Diagnostic[] }> {
  const file = where?.[scope]
  if (where === undefined || file === undefined) {
    return { diagnostics: [failed(scope, undefined, `there is no file for the scope \`${scope}\``)] }
  }
  const [key, items] =
    expiresAt === undefined ? (['allow', rules] as const) : (['rules', rules.flatMap(expiring(expiresAt))] as const)
  let problem: string | undefined
  const edit = async (text: string | undefined) => {
    const edited = await appendToYaml(text ?? '', ['permissions', key], items)
    problem = edited.problem
    return edited.text
  }
  let failure: string | undefined
  try {
    const result = await where.files.edit(file, edit)
    failure = problem ?? result.failure
  } catch (error) {
    failure = `\`rememberIn.files\` failed: ${messageOf(error)}`
  }
  return failure === undefined ? { file, diagnostics: [] } : { diagnostics: [failed(scope, file, failure)] }
}

function expiring(expiresAt: number): (text: string) => readonly JsonValue[] {
  const expires = new Date(expiresAt).toISOString()
  return (text) => {
    const { rule } = parseRule(text)
    if (!rule) return []
    const { tool, specifier } = rule
    if (specifier === undefined) return [{ effect: 'allow', tool, expires }]
    const domain = /^domain:(.*)$/.exec(specifier)?.[1]
    if (domain !== undefined) return [{ effect: 'allow', tool, domain, expires }]
    return [{ effect: 'allow', tool, [tool === 'Edit' || tool === 'Read' ? 'path' : 'command']: specifier, expires }]
  }
}

/** The rules are in the file, and hold for this session; others learn of them with the next load. */
export function notLoaded(file: string, scope: 'local' | 'user', problem: string): Diagnostic {
  return report.error(
    'permission.remember.failed',
    { layer: scope, file },
    `The rules were written, and could not be loaded: ${problem}.`,
    {
      hint: 'They hold for this session, and for others once the file is loaded again.',
    },
  )
}

function failed(scope: 'local' | 'user', file: string | undefined, problem: string): Diagnostic {
  const layer: LayerName = scope
  const source = file === undefined ? { layer, name: 'rememberIn' } : { layer, file }
  return report.error('permission.remember.failed', source, `The rules could not be written: ${problem}.`, {
    hint: 'They hold for this session. Write them to the file yourself, or fix what keeps it from being written.',
  })
}
