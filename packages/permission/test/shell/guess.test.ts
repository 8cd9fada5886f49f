import { describe, expect, test } from 'vitest'
import { analyzeShell } from '../../src/shell/index.js'
import { codesOf, context, effectsOf } from './support.js'

describe('of a program that the table does not know', () => {
  test.each([
    ['my-runner rm x', 'program'],
    ['my-runner -- ./deploy.sh', 'program'],
    ['my-runner add -- rm x', 'program'],
    ['my-runner exec x', 'code'],
    ['my-runner cache:eval x', 'code'],
    ['my-runner console', 'code'],
    ['my-runner "rm x" "npm start"', 'code'],
    ['my-runner "a | sh"', 'code'],
    ["my-runner '!rm x'", 'code'],
    ["my-runner '|rm x'", 'code'],
    ["my-runner -e 'system(1)'", 'code'],
    ['my-runner --pre-hook x', 'option'],
    ['my-runner --on-change=x', 'option'],
    ['my-runner --plugin ./x', 'option'],
    ['my-runner -r ./x.rb', 'option'],
    ['my-runner --shell-escape x', 'option'],
    ['my-runner -Dexec.executable=x', 'option'],
    ['my-runner LD_PRELOAD=x', 'option'],
    ['my-runner plugin install x', 'option'],
    ['my-runner run https://a.test/x', 'input'],
  ] as const)('`%s` may run something: %s', (line, code) => {
    expect(codesOf(line)).toContain(code)
  })

  test.each([
    'my-tool install git',
    'my-tool test watch',
    'my-tool build --filter=web',
    'my-tool -m "rm x; git push"',
    'my-tool commit --title "make it faster"',
    'my-tool console cache:clear',
    'my-tool --plugin react',
    'my-tool --command "select 1"',
    'my-tool --config my.config.js',
    'my-tool NODE_OPTIONS=--max-old-space-size=4096',
    'my-tool "src/**/*.ts"',
    "my-tool '!src/x.ts'",
  ])('`%s` is taken for what it says', (line) => {
    expect(codesOf(line)).toEqual([])
  })

  test('what its options say about the output is written, and what leaves the workspace may be', () => {
    expect(effectsOf('my-tool --output=.vscode/x a')).toContain('write? /repo/.vscode/x')
    expect(effectsOf('my-tool a/../../b')).toContain('write? /b/**')
    expect(effectsOf('my-tool --to file://.env')).toContain('mention? /repo/.env/**')
  })

  test('an allow rule can answer a guess, for it is told where the word stands', () => {
    const [unknown] = analyzeShell('my-runner exec x', context).unknowns
    expect(unknown?.spelled).toBe(1)
  })
})

describe('of a program that the table knows', () => {
  test.each([
    ['kubectl --unheard-hook x get pods', 'option'],
    ['python manage.py shell', 'code'],
    ['php artisan tinker', 'code'],
    ['python -m pytest -p x', 'option'],
    ['docker compose -f ../x.yml up', 'folder'],
    ['pip install -r https://a.test/x', 'input'],
    ['npm install git+https://a.test/x', 'input'],
    ['deno run https://a.test/x', 'input'],
    ["sqlite3 a.db '.shell x'", 'code'],
    ['sqlite3 a.db "attach \'x\' as y"', 'code'],
    ["psql -c '\\! x'", 'code'],
    ['psql -c "copy t to program \'x\'"', 'code'],
    ['vim.tiny -c x', 'code'],
  ] as const)('`%s` is told: %s', (line, code) => {
    expect(codesOf(line)).toContain(code)
  })

  test.each([
    'psql "$DATABASE_URL" -c "select 1"',
    "psql -c '\\dt'",
    'sqlite3 a.db .tables',
    'sqlite3 a.db "select * from t"',
    'python manage.py migrate',
    'php artisan config:cache',
    'python -m pytest -x',
    'pip install -r requirements.txt',
    'npm install react@18',
    'docker compose -f dev.yml up',
    'cmake --build build --target test',
    'aws logs tail /aws/lambda/x',
  ])('`%s` is judged', (line) => {
    expect(codesOf(line)).toEqual([])
  })
})
