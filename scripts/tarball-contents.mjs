// What may be in a package as it is published: what its manifest names, in the forms that belong there, and nothing of
// the machine that it was packed on.

const ALWAYS = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md']
const FORMS = {
  bin: /\.js$/,
  dist: /\.(?:js|d\.ts|json)$/,
  schema: /\.json$/,
  conformance: /\.(?:jsonl|md)$/,
}
const REMAINS =
  /(?:^|\/)(?:test|tests|bench|node_modules|__snapshots__)\/|\.(?:test|bench)\.|\.(?:map|tgz|log|tsbuildinfo)$/

/**
 * @param {{path: string, text: string}[]} files below the root of the package
 * @param {string[]} traces texts that show where it was packed, such as the path of the repository
 * @param {boolean} isProduct nobody imports it, so it needs no declarations
 * @returns {string[]} what is wrong, a line each
 */
export function checkContents(files, manifest, traces, isProduct) {
  const paths = files.map(({ path }) => path)
  const folders = manifest.files.filter((each) => !each.startsWith('!')).map((each) => each.split('/')[0])
  const belongs = (path) => {
    if (ALWAYS.includes(path)) return true
    const [folder, ...rest] = path.split('/')
    if (rest.length === 0 || !folders.includes(folder) || REMAINS.test(path)) return false
    return (FORMS[folder] ?? /./).test(path) && !(isProduct && path.endsWith('.d.ts'))
  }
  const named = [manifest.bin, manifest.exports].flatMap(targetsOf).map((target) => target.replace(/^\.\//, ''))
  return [
    ...paths.filter((path) => !belongs(path)).map((path) => `${path} does not belong there.`),
    ...['package.json', 'README.md', 'LICENSE', ...named]
      .filter((target) => !paths.some((path) => fits(path, target)))
      .map((path) => `${path} is missing.`),
    ...files.flatMap(({ path, text }) =>
      traces
        .filter((trace) => text.includes(trace))
        .map((trace) => `${path} names ${trace}, which is of this machine.`),
    ),
  ]
}

/** A target may stand for several files with one `*`, as Node reads it. */
function fits(path, target) {
  const [before, after] = target.split('*')
  if (after === undefined) return path === target
  return path.startsWith(before) && path.endsWith(after) && path.length > before.length + after.length
}

function targetsOf(value) {
  if (typeof value === 'string') return [value]
  return value ? Object.values(value).flatMap(targetsOf) : []
}
