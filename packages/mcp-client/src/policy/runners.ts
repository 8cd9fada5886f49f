/** A program that fetches a package and runs it. */
export interface Runner {
  /** What has to stand before the package: `exec`, `dlx`, `tool run`. Some programs have several such words. */
  readonly verbs: readonly (readonly string[])[]
  readonly kind: 'npm' | 'python' | 'image'
  /** It takes options behind the package for its own as well, up to `--`. */
  readonly greedy?: true
  /** Options without a value that change nothing about what is run. */
  readonly flags: readonly string[]
  /** The same with a value. */
  readonly values: readonly string[]
  /** Their value is a package, too. The program that is run then has to be named after one of them. */
  readonly packages: readonly string[]
  /** Their value says where packages come from. */
  readonly registries: readonly string[]
}

const NPM = {
  kind: 'npm',
  flags: ['-y', '--yes', '--no', '-q', '--quiet', '--silent', '--prefer-offline', '--offline'],
  values: ['--loglevel'],
  packages: ['-p', '--package'],
  registries: ['--registry'],
} as const

const PYTHON = {
  kind: 'python',
  flags: [
    '-q',
    '--quiet',
    '-v',
    '--verbose',
    '--isolated',
    '--offline',
    '--no-cache',
    '-n',
    '--no-config',
    '--no-progress',
  ],
  values: ['--python', '-p', '--color'],
  packages: ['--from', '--with', '--spec'],
  registries: ['--index-url', '-i', '--default-index'],
} as const

const IMAGE = {
  kind: 'image',
  flags: ['-i', '--interactive', '-t', '--tty', '-it', '-ti', '--rm', '--init', '--read-only', '-q', '--quiet'],
  values: [
    ...['--name', '-l', '--label', '-u', '--user', '-w', '--workdir', '-m', '--memory', '--cpus', '--pids-limit'],
    ...['--platform', '--pull', '--cap-drop', '--network', '--net', '--hostname', '-h', '--shm-size', '--stop-timeout'],
    ...['-e', '--env', '--log-driver', '--memory-swap', '--ulimit'],
  ],
  packages: [],
  registries: [],
} as const

/** By the name of the program, without folder and ending. */
export const RUNNERS: Readonly<Record<string, Runner>> = {
  npx: { ...NPM, verbs: [[]] },
  pnpx: { ...NPM, verbs: [[]] },
  bunx: { ...NPM, verbs: [[]], flags: [...NPM.flags, '--bun', '--no-install'], registries: [] },
  npm: { ...NPM, verbs: [['exec'], ['x']], greedy: true },
  pnpm: { ...NPM, verbs: [['dlx']] },
  yarn: { ...NPM, verbs: [['dlx']], registries: [] },
  bun: { ...NPM, verbs: [['x']], registries: [] },
  uvx: { ...PYTHON, verbs: [[]] },
  uv: { ...PYTHON, verbs: [['tool', 'run'], ['x']] },
  pipx: { ...PYTHON, verbs: [['run']] },
  docker: { ...IMAGE, verbs: [['run'], ['container', 'run']] },
  podman: { ...IMAGE, verbs: [['run'], ['container', 'run']] },
  nerdctl: { ...IMAGE, verbs: [['run'], ['container', 'run']] },
}

/**
 * Variables by which these programs, or the interpreters behind them, run something else: settings of their own, the homes
 * of their settings, and code that is loaded first.
 */
export const STEERING: RegExp =
  /^(npm_|pnpm_|yarn_|bun_|uv_|pip_|pipx_|docker_|podman_|containers_|node_|python|ld_|dyld_|git_|java_|_java|dotnet_|perl5|ruby|bash_env$|env$|home$|userprofile$|appdata$|localappdata$|xdg_|prefix$|virtual_env$|shell$|comspec$|path$|pathext$|tmpdir$|ssl_|https?_proxy$|all_proxy$)/i
