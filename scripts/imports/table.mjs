// Who may import whom. The one place of these rules: a new dependency, first-party or not, is a change to this file.
//
// siblings    the @ext specifiers that the package may import; `x/*` stands for the subpaths of x
// thirdParty  third-party package → the folder under which it may be imported; without this map, whatever the
//             package declares
// machine     a folder that may use Node and its globals, besides those of MACHINE_FOLDERS
// product     an application: may use the machine, print, exit and load modules by a computed name

const kernel = ['@ext/kernel', '@ext/kernel/*']
const ruleLanguage = ['@ext/permission/rule', '@ext/permission/shell']

export const table = {
  '@ext/kernel': {
    folder: 'packages/kernel',
    siblings: [],
    thirdParty: {
      yaml: 'src',
      'jsonc-parser': 'src',
      picomatch: 'src',
      re2js: 'src',
      'p-limit': 'src',
      ajv: 'src/ajv',
      undici: 'src/node',
      'ipaddr.js': 'src/node',
      'cross-spawn': 'src/node',
      chokidar: 'src/node',
      'proper-lockfile': 'src/node',
    },
  },
  '@ext/permission': {
    folder: 'packages/permission',
    siblings: kernel,
    thirdParty: { unbash: 'src' },
  },
  '@ext/hooks': {
    folder: 'packages/hooks',
    siblings: [...kernel, ...ruleLanguage],
    thirdParty: {},
  },
  '@ext/skills': {
    folder: 'packages/skills',
    siblings: [...kernel, ...ruleLanguage],
    thirdParty: { minisearch: 'src', tar: 'src/install', fflate: 'src/install' },
  },
  '@ext/mcp-client': {
    folder: 'packages/mcp-client',
    siblings: kernel,
    // Servers for tests, which run as processes of their own.
    machine: 'src/testing',
    thirdParty: {
      '@modelcontextprotocol/sdk': 'src/connect',
      '@modelcontextprotocol/client': 'src/connect',
      minisearch: 'src',
      'rate-limiter-flexible': 'src',
      '@napi-rs/keyring': 'src',
    },
  },
  '@ext/agent-core': {
    folder: 'packages/agent-core',
    siblings: kernel,
    thirdParty: { '@opentelemetry/api': 'src/otel', htmlparser2: 'src/tools', '@ai-sdk/provider': 'src/ai-sdk' },
  },
  '@ext/cli': {
    folder: 'apps/cli',
    siblings: ['@ext/*'],
    product: true,
  },
}

/** Folders of a library that need more than a JavaScript runtime; only the entry of the same name leads into them. */
export const RIM_FOLDERS = ['node', 'ajv', 'testing', 'author']

/** Rim folders that may use Node and its globals: what runs there is a process of its own or a port. */
export const MACHINE_FOLDERS = ['node', 'author']

export const MAX_LINES = 600

/** The only module that may know the fence of a file header. */
export const FENCE_HOME = 'packages/kernel/src/frontmatter/fences.ts'
