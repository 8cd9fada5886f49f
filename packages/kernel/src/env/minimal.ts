const POSIX = ['PATH', 'HOME', 'LANG', 'TERM', 'TMPDIR', 'TZ', 'USER', 'SHELL']
const WINDOWS = [
  'PATH',
  'PATHEXT',
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'COMSPEC',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMFILES',
  'TEMP',
  'TMP',
  'USERNAME',
  'LANG',
  'TZ',
]

/**
 * The environment that every child gets by default: what programs need to run at all, and no secret of the host.
 * Anything else has to be declared.
 */
export function minimalEnv(
  host: Readonly<Record<string, string | undefined>>,
  platform: string,
): Record<string, string> {
  const windows = platform === 'win32'
  const wanted = new Set(windows ? WINDOWS : POSIX)
  const env: Record<string, string> = {}
  // Each value of `process.env` is fetched from the system, so only those that are wanted are looked at.
  for (const name of Object.keys(host)) {
    // Windows keeps names in the case that somebody once gave them, such as `Path`.
    const key = windows ? name.toUpperCase() : name
    if (!wanted.has(key) && !key.startsWith('LC_')) continue
    const value = host[name]
    if (value !== undefined) env[name] = value
  }
  return env
}
