/** A group of variables that a user can hand on by one word. */
export type EnvPreset = 'proxy' | 'toolchain' | 'ssh'

const PROXY = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']

/**
 * What each preset passes. `toolchain` holds only places of tools and their caches: nothing that makes another program
 * load code (`NODE_OPTIONS`, `PYTHONPATH`, `LD_LIBRARY_PATH`), and nothing that usually holds a password. The URL of a
 * proxy can hold one.
 */
export const ENV_PRESETS: Readonly<Record<EnvPreset, readonly string[]>> = {
  proxy: [
    ...PROXY,
    ...PROXY.map((name) => name.toLowerCase()),
    'NODE_USE_ENV_PROXY',
    // Certificates of the network's own authority, as each family of tools calls them.
    'NODE_EXTRA_CA_CERTS',
    'NODE_USE_SYSTEM_CA',
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
    'REQUESTS_CA_BUNDLE',
    'CURL_CA_BUNDLE',
    'GIT_SSL_CAINFO',
    'PIP_CERT',
    'CARGO_HTTP_CAINFO',
    'AWS_CA_BUNDLE',
    'DENO_CERT',
  ],
  toolchain: [
    ...['NVM_DIR', 'NVM_BIN', 'FNM_DIR', 'FNM_MULTISHELL_PATH', 'VOLTA_HOME', 'PNPM_HOME', 'COREPACK_HOME'],
    ...['BUN_INSTALL', 'DENO_DIR', 'DENO_INSTALL'],
    ...['CARGO_HOME', 'RUSTUP_HOME', 'GOPATH', 'GOROOT', 'GOBIN', 'GOCACHE', 'GOMODCACHE'],
    ...['JAVA_HOME', 'MAVEN_HOME', 'M2_HOME', 'GRADLE_HOME', 'GRADLE_USER_HOME', 'ANDROID_HOME', 'ANDROID_SDK_ROOT'],
    ...['PYENV_ROOT', 'VIRTUAL_ENV', 'CONDA_PREFIX', 'POETRY_HOME', 'PIPX_HOME', 'UV_CACHE_DIR'],
    ...['RBENV_ROOT', 'GEM_HOME', 'GEM_PATH', 'DOTNET_ROOT', 'ASDF_DIR', 'ASDF_DATA_DIR', 'MISE_DATA_DIR'],
    ...['HOMEBREW_PREFIX', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'],
  ],
  ssh: ['SSH_AUTH_SOCK', 'SSH_AGENT_PID', 'GIT_SSH', 'GIT_SSH_COMMAND', 'GIT_SSH_VARIANT'],
}
