import { type AllowedCommand, addressOf } from './keys.js'
import { RUNNERS, type Runner, STEERING } from './runners.js'

export interface PackageCommand {
  readonly file: string
  readonly args: readonly string[]
  /** Names of variables that the entry sets. */
  readonly variables: readonly string[]
  /** What allows this program. */
  readonly listed: readonly AllowedCommand[]
  /** Where packages may come from. Absent: from where the machine takes them. */
  readonly registries: readonly string[] | undefined
}

/** What is run, exactly. */
interface Package {
  readonly name: string
  readonly version: string
}

/**
 * Why a program that runs packages may not run this one, as the rest of a sentence about the server: only one version of one
 * package is the same tomorrow. `undefined`: it may, or it is no such program.
 */
export function packageFault({ file, args, variables, listed, registries }: PackageCommand): string | undefined {
  const program = baseName(file)
  const runner = Object.hasOwn(RUNNERS, program) ? RUNNERS[program] : undefined
  if (!runner) return undefined
  const steering = variables.find((name) => STEERING.test(name))
  if (steering !== undefined) return `sets \`${steering}\`, by which \`${program}\` could run something else`
  const verb = runner.verbs.find((words) => words.every((word, index) => args[index] === word))
  if (!verb) return `lets \`${program}\` do something else than ${wanted(program, runner)}`
  const read = readOptions(runner, args.slice(verb.length))
  if (typeof read === 'string') return read
  const packages = packagesOf(runner, read)
  if (typeof packages === 'string') return packages
  const foreign = packages.find((each) => !listed.some(({ of }) => of === undefined || isOf(each, of, runner)))
  if (foreign) return `would run the package \`${foreign.name}\` in version ${foreign.version}, which is not listed`
  return registryFault(runner, read, packages, registries)
}

interface Options {
  /** The first word that is no option: the package, or the program in it. */
  readonly subject: string
  readonly packages: readonly string[]
  readonly registries: readonly string[]
}

/** Reads options up to the package. One that is not known could change what is run, so it ends here. */
function readOptions(runner: Runner, args: readonly string[]): Options | string {
  const packages: string[] = []
  const registries: string[] = []
  let subject: string | undefined
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? ''
    if (word === '--') {
      subject ??= args[at + 1]
      break
    }
    if (!word.startsWith('-')) {
      subject ??= word
      if (runner.greedy) continue
      break
    }
    if (runner.flags.includes(word)) continue
    const [option = '', inline] = /^(--[^=]+)=(.*)$/s.exec(word)?.slice(1) ?? [word]
    const value = inline ?? args[++at] ?? ''
    if (runner.packages.includes(option)) packages.push(value)
    else if (runner.registries.includes(option)) registries.push(value)
    else if (!runner.values.includes(option)) return `uses the option \`${option}\`, which could change what is run`
    else if (/^(-e|--env)$/.test(option) && STEERING.test(value.split('=')[0] ?? '')) {
      return `sets \`${value.split('=')[0]}\` in the container, by which something else could be run`
    }
  }
  return { subject: subject ?? '', packages, registries }
}

function packagesOf(runner: Runner, { subject, packages: given }: Options): readonly Package[] | string {
  const specs = given.length === 0 ? [subject] : given
  const packages: Package[] = []
  for (const spec of specs) {
    const found = exactly(spec, runner.kind)
    if (!found)
      return `does not say exactly which package it runs (${JSON.stringify(spec)}); write ${example(runner.kind)}`
    packages.push(found)
  }
  // What no package brings along is looked for on the machine.
  const isOwn = given.length === 0 || packages.some(({ name }) => name.replace(/^@[^/]+\//, '') === subject)
  return isOwn ? packages : `runs the program ${JSON.stringify(subject)}, which is not named after its package`
}

const VERSION = String.raw`\d+(?:\.\d+){1,3}(?:[-.+]?[0-9A-Za-z]+(?:[-.+][0-9A-Za-z]+)*)?`
const SPECS = {
  npm: /^((?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*)@(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$/,
  python: new RegExp(String.raw`^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[\w,.-]+\])?(?:==|@)(${VERSION})$`),
  image: /^([a-z0-9][a-z0-9._:/-]*?)(?::[\w.-]+)?@(sha256:[0-9a-f]{64})$/,
}

function exactly(spec: string, kind: Runner['kind']): Package | undefined {
  const [, name, version] = SPECS[kind].exec(spec) ?? []
  return name === undefined || version === undefined ? undefined : { name, version }
}

/** @param of as a policy has it: a name, or one with its version */
function isOf(found: Package, of: string, { kind }: Runner): boolean {
  const exact = exactly(of, kind)
  return exact ? exact.name === found.name && exact.version === found.version : of === found.name
}

function registryFault(
  { kind }: Runner,
  { registries: written }: Options,
  packages: readonly Package[],
  allowed: readonly string[] | undefined,
): string | undefined {
  const [first] = written
  if (!allowed) return first === undefined ? undefined : `takes packages from ${first}, which no policy names`
  if (kind === 'image') {
    const other = packages.find(({ name }) => !allowed.some((host) => qualified(name).startsWith(`${host}/`)))
    return other && `takes the image \`${other.name}\` from a place that is not listed in \`allowedMcpRegistries\``
  }
  if (first === undefined) return 'does not say from where its packages come, which `allowedMcpRegistries` asks for'
  const other = written.find((address) => !allowed.includes(addressOf(address) ?? ''))
  return other && `takes packages from ${other}, which is not listed in \`allowedMcpRegistries\``
}

/** An image without a host is one of Docker Hub. */
function qualified(image: string): string {
  const [first = '', ...rest] = image.split('/')
  const hasHost = rest.length > 0 && /[.:]|^localhost$/.test(first)
  if (hasHost) return image
  return rest.length > 0 ? `docker.io/${image}` : `docker.io/library/${image}`
}

function baseName(file: string): string {
  const name = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1)
  return name.replace(/\.(cmd|exe|bat|ps1)$/i, '').toLowerCase()
}

function wanted(program: string, { verbs }: Runner): string {
  return `\`${[program, ...(verbs[0] ?? [])].join(' ')}\``
}

function example(kind: Runner['kind']): string {
  return { npm: '`name@1.2.3`', python: '`name==1.2.3`', image: '`name@sha256:…`' }[kind]
}
