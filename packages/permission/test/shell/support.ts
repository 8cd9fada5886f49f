import { analyzeShell, DYNAMIC, type ShellAnalysis, type ShellContext } from '../../src/shell/index.js'

export const context: ShellContext = { cwd: '/repo', home: '/home/u', shell: 'bash', platform: 'linux' }

/** The commands that a line runs, word by word, with … for what is only known when it runs. */
export function commandsOf(line: string, overrides: Partial<ShellContext> = {}): readonly string[] {
  return analyzeShell(line, { ...context, ...overrides }).units.map(({ argv }) => shown(argv.join(' ')))
}

export function codesOf(line: string, overrides: Partial<ShellContext> = {}): readonly string[] {
  return analyzeShell(line, { ...context, ...overrides }).unknowns.map(({ code }) => code)
}

/** `write /repo/x`, with a ? where that is one possibility of several or the path is not known. */
export function effectsOf(line: string, overrides: Partial<ShellContext> = {}): readonly string[] {
  return describeEffects(analyzeShell(line, { ...context, ...overrides }))
}

export function describeEffects({ effects }: ShellAnalysis): readonly string[] {
  return effects.map(
    ({ kind, path, host, certain, recursive, pattern }) =>
      `${kind}${certain ? '' : '?'} ${path ?? host ?? '-'}${recursive ? '/**' : ''}${pattern ? ' (pattern)' : ''}`,
  )
}

export function criticalOf(line: string, overrides: Partial<ShellContext> = {}): readonly string[] {
  return analyzeShell(line, { ...context, ...overrides }).critical.map(({ what }) => what)
}

function shown(text: string): string {
  return text.replaceAll(DYNAMIC, '…')
}
