import { createReporter, type Diagnostic, type Source, suggest } from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import { bashOnly } from '../config/lint-bash.js'
import { type Code, scriptCode } from './code.js'
import { baseName, type CommandHost, isOnPath, isShell, type Started } from './programs.js'

const report = createReporter(diagnosticCodes)

/** What is found about the files that a command starts, and what can be read of them. */
export interface FileFindings {
  readonly diagnostics: readonly Diagnostic[]
  readonly code: readonly Code[]
}

/** Looks at the files of one program that a command starts. */
export async function lintFiles(
  started: Started,
  variables: Readonly<Record<string, string>>,
  host: CommandHost,
  source: Source,
): Promise<FileFindings> {
  const { program, path, script } = started
  const { files } = host.ports
  const where = async (file: string) => {
    const { folder, name } = partsOf(file)
    const near = suggest(
      name,
      ((await files.list(folder)) ?? []).map((item) => item.name),
    )
    return near ? `Did you mean \`${near}\`?` : WHERE
  }
  const error = (code: keyof typeof diagnosticCodes, message: string, hint: string): FileFindings => ({
    diagnostics: [report.error(code, source, message, { hint })],
    code: [],
  })
  if (path === undefined && !(await isOnPath(program, variables, host))) {
    return error(
      'hooks.program.missing',
      `There is no program \`${program}\` in its PATH.`,
      'Install it, or write its path.',
    )
  }
  if (path !== undefined && !(await files.realPath(path))) {
    return error(
      'hooks.script.missing',
      `There is no file ${path}, so the hook fails whenever it runs.`,
      await where(path),
    )
  }
  if (path !== undefined && !(await files.isExecutable(path))) {
    const hint = `Run \`chmod +x ${path}\`, or start it with its interpreter.`
    return error(
      'hooks.script.not-executable',
      `${path} may not be executed, so the hook fails whenever it runs.`,
      hint,
    )
  }
  if (script !== undefined && !(await files.realPath(script))) {
    const blocks = isShell(program) || baseName(program).startsWith('python')
    const effect = blocks
      ? `and \`${baseName(program)}\` can end with 2 then, which blocks`
      : 'so the hook fails whenever it runs'
    return error('hooks.script.missing', `There is no file ${script}, ${effect}.`, await where(script))
  }
  const file = script ?? path
  const read = file === undefined ? undefined : await files.readText(file)
  // A program that is no text, or that others have written, has nothing to say here.
  if (file === undefined || read?.text === undefined || !isOwn(file, variables, host))
    return { diagnostics: [], code: [] }
  return lintText(file, read.text, started, variables, host, source.layer)
}

function partsOf(path: string): { readonly folder: string; readonly name: string } {
  const name = baseName(path)
  return { folder: path.slice(0, -name.length - 1) || '/', name }
}

/** Whether a script was written for its hook: it belongs to the project, the plugin or the person. */
function isOwn(file: string, variables: Readonly<Record<string, string>>, { root, ports }: CommandHost): boolean {
  const folders = [root, ports.home, variables['CLAUDE_PLUGIN_ROOT'] ?? root]
  return folders.some((folder) => file.startsWith(`${folder}/`)) && !file.includes('/node_modules/')
}

const WHERE = 'Check the path: relative ones start at the folder that the session is in.'

async function lintText(
  file: string,
  text: string,
  { program, script, args }: Started,
  variables: Readonly<Record<string, string>>,
  host: CommandHost,
  layer: Source['layer'],
): Promise<FileFindings> {
  const direct = script === undefined
  const diagnostics: Diagnostic[] = []
  const say = (
    severity: 'error' | 'warning',
    code: keyof typeof diagnosticCodes,
    message: string,
    hint: string,
    line = 1,
  ) => diagnostics.push(report[severity](code, { layer, file, line, column: 1 }, message, { hint }))
  const [, line] = /^#!\s*(.*?)\r?(?:\n|$)/.exec(text) ?? []
  const [first = '', second = ''] = (line ?? '').split(/\s+/)
  const interpreter = baseName(first) === 'env' ? second.replace(/^-S/, '') : first
  const name = direct ? baseName(interpreter) : baseName(program)
  const shell = direct && line === undefined ? /\.(?:sh|bash)$/.test(file) || !/\.\w+$/.test(file) : isShell(name)
  const code = scriptCode(file, text, shell)
  if (/^[^\n]*\r\n/.test(text) && (shell || direct)) {
    const message = `The lines of ${file} end as on Windows, which ${direct ? 'its first line' : name} can't be read with.`
    say('error', 'hooks.script.line-ends', message, `Save it with \\n alone: \`sed -i 's/\\r$//' ${file}\`.`)
    return { diagnostics, code: [code] }
  }
  if (direct && line === undefined) {
    const message = `${file} does not say what runs it, so it runs as a script for \`sh\`, if at all.`
    say('warning', 'hooks.script.shebang', message, 'Begin it with a line such as #!/bin/sh or #!/usr/bin/env python3.')
  } else if (direct && interpreter !== '') {
    const { files } = host.ports
    const exists = interpreter.includes('/')
      ? (await files.realPath(interpreter)) !== undefined
      : await isOnPath(interpreter, variables, host)
    if (!exists) {
      const message = `${file} is to be run by \`${interpreter}\`, which does not exist here.`
      say('error', 'hooks.program.missing', message, 'Install it, or change the first line.')
    }
  }
  const bash = name === 'sh' || name === 'dash' ? bashOnly(code.text) : undefined
  if (bash !== undefined) {
    const message = `${file} uses \`${bash}\`, which is bash, and \`sh\` runs it.`
    say(
      'warning',
      'hooks.shell.bash-only',
      message,
      direct ? 'Begin it with #!/usr/bin/env bash.' : 'Run it with bash.',
    )
  }
  const argument = shell && args.length === 0 && !/\(\)\s*\{|\bset --|\bfunction\b/.test(code.bare)
  const used = argument ? /(?<![\\$\w])\$\{?1\b(?!:?[-=])/.exec(code.bare)?.index : undefined
  // In single quotes it belongs to another program, such as awk.
  if (used !== undefined && !/'[^'\n]*\$1/.test(code.bare)) {
    const at = code.bare.slice(0, used).split('\n').length
    const message = `${file} reads an argument, and gets none: events come as JSON on stdin.`
    say('warning', 'hooks.script.argument', message, 'Read stdin, for example with `jq -r .tool_input.file_path`.', at)
  }
  return { diagnostics, code: [code] }
}
