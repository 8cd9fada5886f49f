/**
 * Programs whose words can't be taken at face value. Nothing here makes a command safe: a program that is not listed
 * is simply what the rule's author has allowed.
 * Gathered from manual pages, GTFOBins and the bypasses published for other agents (CVE-2025-58764, CVE-2025-64755,
 * CVE-2025-66032, CVE-2026-24887 and others).
 */

/** Behind these stands another command: programs that start one, shells, and words of the shell's own grammar. */
const RUNNERS: ReadonlySet<string> = new Set(
  `sudo doas su runuser env command builtin exec eval nice nohup timeout time stdbuf setsid setpriv ionice chrt taskset
  numactl flock watch strace ltrace perf unshare nsenter chroot fakeroot firejail bwrap script xargs parallel find fd
  entr busybox toybox sh bash dash ash zsh ksh mksh fish csh tcsh rbash pwsh powershell cmd trap source . coproc ssh
  docker podman nerdctl kubectl oc devbox mise asdf direnv nix nix-shell npx pnpx bunx uvx pipx corepack xvfb-run
  dbus-run-session systemd-run at batch crontab ip expect caffeinate wine doppler dotenv
  if then else elif while until for do case select function ! { [[`.split(/\s+/),
)

/** These run code that their words hold, remove or overwrite what their words name, or change what later words mean. */
const EXACT_ONLY: ReadonlySet<string> = new Set(
  `python ruby perl node deno bun php lua luajit tclsh awk gawk mawk nawk sed ed ex vi vim nvim view emacs nano less more
  osascript gdb lldb sqlite psql mysql m rscript julia groovy java ftp sftp scp rsync tar zip unzip cpio ar wget
  rm rmdir unlink shred dd mkfs mkfs.ext mkfs.xfs mkfs.btrfs mkfs.vfat wipefs fdisk parted mv cp ln install tee
  truncate chmod chown chgrp mount umount uniq
  cd pushd popd export declare typeset local readonly let unset set shopt alias unalias hash enable bind read mapfile
  readarray printf test [ complete compgen history fc umask`.split(/\s+/),
)

/**
 * Words that are fine after a program but for these. `--long` also matches its abbreviations and `-long`; `-x` matches
 * in a cluster such as `-ax`; a word without a dash is a sub-command.
 */
const SHARP_WORDS: Readonly<Record<string, readonly string[]>> = {
  git: `-c -C --config-env --exec-path --git-dir --work-tree --namespace --output -O --open-files-in-pager --ext-diff
    --textconv --upload-pack --receive-pack --exec -x --template config bisect submodule filter-branch difftool
    mergetool daemon instaweb send-email svn p4 hook credential archive bundle format-patch`.split(/\s+/),
  rg: ['--pre', '--hostname-bin'],
  sort: ['-o', '--output', '--compress-program', '-T', '--temporary-directory'],
  man: ['-P', '--pager', '-H', '--html', '-X', '-C', '--config-file'],
  go: ['--exec', '--toolexec', '--o', '--overlay', '--modfile', '--C', 'run', 'generate', 'tool', 'env'],
  cargo: ['--config', '-Z', '-C', 'run', 'install', 'config'],
  npm: `-C --script-shell --prefix --node-options --globalconfig --userconfig exec x explore config set init
    create`.split(/\s+/),
  pnpm: ['--script-shell', '--dir', '-C', '--node-options', '--shell-mode', 'exec', 'dlx', 'config', 'set', 'create'],
  yarn: ['--cwd', '--script-shell', '--use-yarnrc', 'exec', 'dlx', 'node', 'config', 'create'],
  make: ['-C', '-f', '-I', '--directory', '--file', '--makefile', '--include-dir', '--eval'],
  uv: ['run', 'tool', '--directory', '--project'],
  poetry: ['run', 'config', '-C', '--directory'],
  bundle: ['exec', 'config', '--gemfile'],
  curl: `-o -O -K -T -D -c --output --output-dir --remote-name --remote-name-all --config --upload-file --dump-header
    --cookie-jar --trace --trace-ascii --libcurl --hsts --alt-svc --etag-save --stderr --unix-socket`.split(/\s+/),
  tree: ['-o', '--output'],
  diff: ['--output'],
  date: ['-s', '--set'],
  file: ['-C', '-m', '-f', '--compile', '--magic-file', '--files-from'],
}

/** Whether another command stands somewhere behind this word. Assignments in front of a command count. */
export function runsWhatFollows(word: string): boolean {
  return /^\w+\+?=/.test(word) || RUNNERS.has(programName(word))
}

/** Why these words can only be allowed by a rule that spells all of them out; `undefined` when nothing speaks against. */
export function whyExactOnly(words: readonly string[]): string | undefined {
  const [first = '', ...rest] = words
  const program = programName(first)
  if (RUNNERS.has(program)) return `\`${program}\` runs other commands`
  if (EXACT_ONLY.has(program)) return `what \`${program}\` may do depends on every single word`
  const alias = rest.find((word) => /\/(?:proc|dev\/fd)\//.test(word))
  if (alias !== undefined) return `\`${alias}\` can be another name of any file`
  const sharp = Object.hasOwn(SHARP_WORDS, program) ? (SHARP_WORDS[program] ?? []) : []
  const found = rest.find((word) => sharp.some((each) => isSharp(word, each)))
  return found === undefined ? undefined : `\`${found}\` lets \`${program}\` run or write something else`
}

/** `/usr/bin/python3.12` is `python`, so the sets above name programs without their version. */
function programName(word: string): string {
  const name = word.slice(word.lastIndexOf('/') + 1).toLowerCase()
  return name.replace(/(?<=[a-z])[\d.-]+$/, '') || name
}

function isSharp(word: string, sharp: string): boolean {
  if (!sharp.startsWith('-')) return word === sharp
  if (sharp.startsWith('--')) {
    const dashes = /^--?/.exec(word)?.[0]
    if (dashes === undefined) return false
    const name = word.slice(dashes.length).split('=', 1)[0] ?? ''
    const wanted = sharp.slice(2)
    return name === wanted || (dashes === '--' && name !== '' && wanted.startsWith(name))
  }
  return /^-[^-]/.test(word) && word.includes(sharp.slice(1), 1)
}
