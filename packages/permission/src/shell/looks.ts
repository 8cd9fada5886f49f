/** Sub-commands under which programs of all kinds run what follows. */
export const RUNS: RegExp =
  /^(?:(?:[\w-]+:)?(?:exec|eval|shell|console)|exec-\w+|sh|bash|ssh|rsh|repl|tinker|runner|db-?shell|dbconsole|run-?(?:command|operation)|send-?command|cmd(?:\.\w+)?|spawn|xargs|try-repo)$/

/** Words behind these are names of packages, topics and the like. */
export const NAMES: RegExp =
  /^(?:install|i|add|uninstall|remove|rm|upgrade|update|info|show|list|ls|search|use|pin|which|where|help|completions?|current|pull|tag|import|create|new|init|describe|explain|outdated|link|unlink|switch|default)$/

/** What options are called that take a command or a program: `--pre-hook`, `--on-change`, `--pager`. */
export const CODE_OPTION: RegExp =
  /^--?(?:.*[-_.])?(?:exec(?:ute)?|eval|expr(?:ession)?|\w*command|\w*cmd|scripts?|\w*hook|pager|editor|executable|runner|wrapper|launcher|post-?renderer|askpass|proxy-?command|on-?(?:change|success|failure|error|exit|start|stop|event))$/i

/** The same of options that take the path of something to load; names alone are those of what is installed. */
export const LOAD_OPTION: RegExp =
  /^--?(?:.*[-_.])?(?:plugins?|require|preload|loader|import|extension|module-?path|init|init-?file|init-?script|rc-?file|shell|program|helper|driver|engine|compiler|interpreter|config-?env|\w+-filter)$/i

/** Of these, files that are code or folders of it. */
export const CODE_FILE_OPTION: RegExp =
  /^--?(?:.*[-_.])?(?:extends|template|transform(?:er)?|reporter|formatter|parser|processor|resolver|environment|collection|preset|rules?-?dir|checks?-?(?:dir|git|path)|setup|hooks?-?path|backend|adapter)$/i

/** What options are called that name a file to write. */
export const OUTPUT_OPTION: RegExp =
  /^-[oO]$|^--?(?:.*[-_])?(?:out|output|outfile|out-?file|out-?dir|output-?(?:file|dir|path)|dest|destination|target-?dir|save|write|log-?file|report-?(?:file|dir)|dist-?(?:dir|path)|cache-?dir)$/i

/** `plugin install x`, `config set credential_process x` */
export const EXTENDS: RegExp =
  /^(?:plugins?|extensions?|hooks?|providers?|modules?) (?:install|add|import|enable)$|^set \S*(?:process|command|cmd|exec|pager|editor|helper|hook|shell)s?$/i

/** Options that say where packages come from. */
export const SOURCE_OPTION: RegExp = /^--(?:.*-)?(?:registry|index-url)$/i

/** Sub-commands behind which an address is one of code. */
export const FETCHES: RegExp = /^(?:run|archive\.install|import|start|load|source|plugin)$/

/** `exec.executable=touch`, `core.pager=x` */
export const CODE_SETTING: RegExp =
  /^(?:[\w-]+[.:])*(?:exec(?:ut(?:e|able))?|command|cmd|pager|editor|(?:java|ssh)?-?agent|scripts?|hook|launcher|wrapper|extensions?|plugins?|tunnels?|java[.-]?home|(?:pre|post)-?build-?event|exec\.args)(?:$|\.)/i

/** Variables by which programs are made to run or load something. */
export const PRELOADS: RegExp =
  /^(?:LD_\w+|DYLD_\w+|PATH|BASH_ENV|ENV|NODE_OPTIONS|PYTHON(?:PATH|STARTUP|HOME)|PERL5(?:LIB|OPT)|RUBY(?:OPT|LIB)|JAVA_TOOL_OPTIONS|GIT_(?:SSH\w*|EXEC_PATH|PAGER|EDITOR|ASKPASS|EXTERNAL_DIFF|PROXY_COMMAND)|\w*(?:EDITOR|PAGER|BROWSER))$/

/** Flags that let a program do what it would not do by itself. */
export const RECKLESS: RegExp =
  /^--?(?:.*-)?(?:shell-?escape|write18|privileged|dangerous(?:ly)?(?:-[\w-]+)?|raw-command|script-security|disable-sandbox|unsafe(?!-fix)[\w-]*)(?:=|$)/i

/** What code looks like that runs programs, in whatever language; and documents and addresses that are code. */
export const CODE_TEXT: RegExp =
  /\b(?:system|exec[lv]?[pe]?|execute|become|eval|popen|spawn|syscmd|esyscmd|shell|shell_exec|passthru|proc_open|write18|require|__import__)\s*[({'"]|\b(?:import\s+os|os\.|subprocess|child_process|ProcessBuilder|getRuntime|do shell script|(?:Proxy|Local|Remote|KnownHosts|Pre|Post)-?Command)\b|^\s*\(\w[\w-]*[\s)]|^\\(?:input|include|write18|immediate|directlua|openin|openout)\b|^(?:msl|mvg|ephemeral|macro|ext|fd|exec|javascript|vbscript|phar|expect):(?=\S)|^(?:text|label|caption):[@./]|^data:[\w/+-]*[;,]|^(?:pipe|process|system|cmd|shell):\S*\s|^:ext:/i

/** Files that hold code. */
export const SCRIPT_FILE: RegExp =
  /\.(?:py|rb|lua|pl|pm|tcl|scm|el|vim|sh|bash|ps1|so|dylib|dll|jar|groovy|gdb|nse|wasm)$/i

/** What options are called that take text for people. */
export const MESSAGE_OPTION: RegExp =
  /^-m$|^--(?:.*-)?(?:message|msg|title|body|description|desc|notes?|comment|reason|subject|text|summary|label)$/i

/** Values of such options that name nothing that could run. */
export const QUIET_VALUE: RegExp =
  /^(?:|\d+|true|false|yes|no|on|off|auto|always|never|none|all|ba?sh|zsh|fish|(?:power|elvi)sh|dev(?:elopment)?|prod(?:uction)?|staging|test)$/i

export const SQL: RegExp =
  /^\s*(?:select|insert|update|delete|create|alter|drop|explain|show|describe|with|pragma|begin|set)\b/i

/** Names of programs that are everyday words, and so the sub-commands and arguments of others. */
export const WORDS: ReadonlySet<string> = new Set(
  '. : [ true false test install set unset env fmt read let type help time times watch open start stop code task split join sort cut file find host history jobs wait clear date df du k op R go export import alias enable complete continue break return exit bind declare link cal expr factor groups id info who tree stat size sum head tail more less most yes top ed ex view at batch script service serve port choco gem dig scoop snap pkg brew mount format fold paste column strings patch diff comm rev black stack dune mix nox tap ava fly swift jest cypress playwright local fish joe micro nl od pr hash trap red route ip man seq sleep hostname reset locale expect racket bundle hatch rye packer firebase vercel netlify heroku helm az just ant http see es rc'.split(
    ' ',
  ),
)
