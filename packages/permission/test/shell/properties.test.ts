import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { analyzeShell, type ShellAnalysis } from '../../src/shell/index.js'
import { context } from './support.js'

const piece = fc.constantFrom(
  ...[
    'git',
    'push',
    'rm',
    '-rf',
    'cd',
    '..',
    'sh',
    '-c',
    'eval',
    'find',
    '-exec',
    '{}',
    ';',
    ';',
    '\n',
    ' ',
    ' ',
    ' ',
    '&&',
    '||',
    '|',
    '&',
  ],
  ...[
    '(',
    ')',
    '{',
    '}',
    '$(',
    ')',
    '`',
    '"',
    "'",
    '\\',
    '$',
    '${x',
    '}',
    '$((',
    '))',
    '<',
    '>',
    '<<X',
    'X',
    '<<<',
    '<(',
    '&>',
    '2>&1',
    '[[',
    ']]',
  ],
  ...[
    'for',
    'in',
    'do',
    'done',
    'if',
    'then',
    'fi',
    'case',
    'esac',
    'f()',
    'x=1',
    '*',
    '?',
    '[a]',
    '~',
    '!',
    '#',
    '{a,b}',
    'a',
    'sudo',
    'xargs',
  ],
)
const shellish = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))
const anything = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), shellish, shellish)
const word = fc.stringMatching(/^[a-z0-9./_-]{1,8}$/)
const inner = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => ['zz-program', ...words])

const plain = (analysis: ShellAnalysis) =>
  JSON.parse(
    JSON.stringify(analysis, (key, value) => (key === 'units' ? value.map((unit: object) => ({ ...unit })) : value)),
  )

describe('for any line', () => {
  test('the answer is an analysis, the same each time, that says something and stays within the line', () => {
    fc.assert(
      fc.property(anything, fc.constantFrom('sh', 'bash', 'zsh', 'powershell', 'cmd'), (line, shell) => {
        const analysis = analyzeShell(line, { ...context, shell })
        expect(plain(analyzeShell(line, { ...context, shell }))).toEqual(plain(analysis))
        expect(analysis.units.length + analysis.unknowns.length).toBeGreaterThan(0)
        for (const { span } of [...analysis.units, ...analysis.effects, ...analysis.unknowns, ...analysis.critical]) {
          expect(span.start).toBeGreaterThanOrEqual(0)
          expect(span.start).toBeLessThanOrEqual(span.end)
          expect(span.end).toBeLessThanOrEqual(line.length)
        }
        for (const { unit } of [...analysis.effects, ...analysis.unknowns, ...analysis.critical]) {
          if (unit !== undefined) expect(analysis.units[unit]).toBeDefined()
        }
        for (const unit of analysis.units) expect([...unit.readings, ...unit.same].flat()).toBeDefined()
      }),
      { numRuns: 4000 },
    )
  })

  test('a part of a list is seen whatever stands around it', () => {
    const operator = fc.constantFrom('; ', ' && ', ' || ', ' | ', ' & ', '\n')
    const other = fc.constantFrom(
      'true',
      'cd ..',
      'echo "a b"',
      '(x; y)',
      'if a; then b; fi',
      'X=1',
      'cat <<< z',
      '[[ a ]]',
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(other, operator)), inner, (before, argv) => {
        const { units } = analyzeShell(before.flat().join('') + argv.join(' '), context)
        expect(units.map((unit) => unit.argv)).toContainEqual(argv)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('for any command', () => {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  /** What stands in front of a command. */
  const runners = [
    'timeout 5',
    'nice -n 5',
    'nohup',
    'env -i A=1',
    'sudo -u root',
    'command',
    'exec',
    'xargs -0',
    'stdbuf -oL',
  ]
  const remote = ['docker exec -it c', 'npx -y', 'uv run', 'busybox', 'ip netns exec n', 'strace -f', 'setsid']
  /** What stands around a script. */
  const shells: readonly ((script: string) => string)[] = [
    (script) => script,
    (script) => `sh -c ${quote(script)}`,
    (script) => `bash -lc ${quote(script)}`,
    (script) => `eval ${quote(script)}`,
    (script) => `trap ${quote(script)} EXIT`,
    (script) => `watch -n1 ${quote(script)}`,
    (script) => `ssh host ${quote(script)}`,
    (script) => `find . -exec sh -c ${quote(script)} \\;`,
    (script) => `(${script})`,
    (script) => `{ ${script}; }`,
    (script) => `! ${script}`,
    (script) => `time ${script}`,
    (script) => `echo "$(${script})"`,
    (script) => `cat <(${script})`,
    (script) => `f() { ${script}; }; f`,
    (script) => `for i in 1; do ${script}; done`,
    (script) => `if ${script}; then :; fi`,
    (script) => `sh <<'END'\n${script}\nEND`,
  ]

  test('whatever runs it, it is seen', () => {
    const prefix = fc.array(fc.constantFrom(...runners, ...remote), { maxLength: 3 })
    fc.assert(
      fc.property(inner, prefix, fc.constantFrom(...shells), (argv, words, shell) => {
        const { units } = analyzeShell(shell([...words, ...argv].join(' ')), context)
        expect(units.map((unit) => unit.argv.slice(0, argv.length))).toContainEqual(argv)
      }),
      { numRuns: 3000 },
    )
  })

  test('it is the same however its words are quoted', () => {
    const quoted: readonly ((text: string) => string)[] = [
      (text) => text,
      (text) => `'${text}'`,
      (text) => `"${text}"`,
      (text) => `${text[0]}''${text.slice(1)}`,
      (text) => `\\${text}`,
      (text) => [...text].map((char) => `\\${char}`).join(''),
      (text) => `$'${[...text].map((char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')}'`,
      (text) => `$"${text}"`,
      (text) => `${text[0]}\\\n${text.slice(1)}`,
      (text) => `{${text},}`,
    ]
    fc.assert(
      fc.property(inner, fc.array(fc.nat(quoted.length - 2), { minLength: 5, maxLength: 5 }), (argv, styles) => {
        const line = argv.map((text, index) => quoted[styles[index] ?? 0]?.(text)).join(' ')
        expect(analyzeShell(line, context).units[0]?.argv).toEqual(argv)
      }),
      { numRuns: 3000 },
    )
  })
})
