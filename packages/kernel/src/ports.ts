/**
 * Ports: what a host supplies. `@ext/kernel/node` has the real ones, `@ext/kernel/testing` has fakes.
 * Part of the type-only entry `@ext/kernel/types`.
 * @module
 */

/** Why a file could not be read. */
export type ReadFailure = 'missing' | 'unreadable' | 'too-large' | 'not-a-file' | 'not-utf8'

/** A text without its byte order mark, or why there is none. */
export type ReadText =
  | { readonly text: string; readonly failure?: undefined }
  | { readonly text?: undefined; readonly failure: ReadFailure; readonly message: string }

/** What a folder holds. */
export interface FolderItem {
  readonly name: string
  /** What the item is after following links; `other` covers devices, sockets and dangling links. */
  readonly kind: 'file' | 'folder' | 'other'
}

/** File access. Failures are values, so that one bad file costs only itself. */
export interface FilesPort {
  /** @param options.maxBytes default 1 MiB; a larger file is the failure `too-large` and is not read */
  readText(path: string, options?: { maxBytes?: number }): Promise<ReadText>
  /** Items in byte order of their names; `undefined` when the folder can't be listed. */
  list(path: string): Promise<readonly FolderItem[] | undefined>
  /** The path with all links resolved; `undefined` when it does not exist. */
  realPath(path: string): Promise<string | undefined>
  /** Whether the file exists and this process may execute it. */
  isExecutable(path: string): Promise<boolean>
  /**
   * The same for many at once. It goes past the methods above: whoever replaces one of them leaves it out. Without it
   * each folder and file is asked for on its own, see `lookAtFolders` and `lookAtHeads`.
   */
  readonly bulk?: BulkFiles | undefined
}

/** An item of a folder, and whether it is a link. */
export interface ListedItem extends FolderItem {
  readonly link: boolean
}

/** What became of a look at a folder: its items in any order. Without a stamp nobody can tell later whether it is the same. */
export type FolderLook =
  | { readonly state: 'listed'; readonly items: readonly ListedItem[]; readonly stamp: number | undefined }
  | { readonly state: 'failed' }

/** What became of a look at the beginning of a file. A byte order mark is not part of the text. Stamps as of folders. */
export type HeadLook =
  | { readonly state: 'read'; readonly text: string; readonly stamp: number | undefined }
  | { readonly state: 'failed'; readonly failure: ReadFailure; readonly message: string }

/** How much of a file is wanted. */
export interface HeadOptions {
  /**
   * Gives how many bytes of the beginning are wanted; `undefined` if more has to be read to know that. Called again with
   * more; with `whole` the answer `undefined` means all of it. The bytes are good for the call only.
   */
  end(bytes: Uint8Array, whole: boolean): number | undefined
  /** A larger file is the failure `too-large`. Default 1 MiB. */
  readonly maxBytes?: number
}

/** What is wanted of folders. */
export interface FolderOptions {
  /**
   * For which folders, by what they hold, a stamp will do that costs nothing: the time of the look. It misses a change on a
   * file system whose clock is more than two seconds behind. Default: none.
   */
  byTime?(items: readonly ListedItem[]): boolean
}

/** A folder or file, and the stamp that a look at it has left. */
export interface Stamped {
  readonly path: string
  readonly stamp: number
}

/** Looks at many folders or files without a promise for each. Answers stand in the order of the questions. */
export interface BulkFiles {
  listAll(folders: readonly string[], options?: FolderOptions): Promise<readonly FolderLook[]>
  readHeads(files: readonly string[], options: HeadOptions): Promise<readonly HeadLook[]>
  /**
   * Whether all of them are as their stamps say: nothing was added to a folder, removed from it or renamed in it, and no
   * file was written or replaced.
   */
  areSame(looks: readonly Stamped[]): Promise<boolean>
}

/** Changes files that belong to a person. */
export interface EditFilesPort {
  /**
   * Replaces a file in one step, under a lock that all processes share, so that nobody sees half of it and no change is
   * lost. Folders that are missing are made. A link stays a link, and what it leads to is changed. Never rejects.
   * @param path absolute
   * @param change gets the text, `undefined` for a file that is not there yet, and gives the next one; `undefined`
   *   leaves the file as it is. A throw is a failure.
   */
  edit(path: string, change: (text: string | undefined) => Promise<string | undefined>): Promise<FileEdit>
}

/** What became of a change. */
export interface FileEdit {
  readonly written: boolean
  /** Why it could not be written, as the end of a sentence. */
  readonly failure?: string
}

/** What stands at a path. */
export interface FileStat {
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  /** Bytes. */
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly modifiedMs: number
  /** Differs once the file was written, replaced or moved. For comparing with that of another time, and nothing else. */
  readonly version: string
}

/** What a folder holds, links as they are. */
export interface WorkItem {
  readonly name: string
  readonly kind: FileStat['kind']
}

/** A file that is open. */
export interface OpenFile {
  /** As it was when it was opened. */
  readonly stat: FileStat
  /** Fewer bytes than asked for come at the end only. */
  read(at: number, length: number): Promise<Uint8Array>
}

/** What became of reading: `failure` is what `stat` could not have told before. */
export type ReadWork<T> =
  | { readonly value: T; readonly failure?: undefined }
  | {
      readonly value?: undefined
      readonly failure: Extract<ReadFailure, 'missing' | 'unreadable' | 'not-a-file'>
      readonly message: string
    }

/**
 * What became of a file that was to be replaced.
 * - `changed`: what stands there is not what was expected · `read-only`: nobody may write it · `failed`: see `message`
 */
export type Replaced =
  | { readonly outcome: 'replaced'; readonly stat: FileStat }
  | { readonly outcome: 'changed' | 'read-only' | 'failed'; readonly message: string }

/**
 * The files that a person or an agent works on, as bytes and of any size. Failures are values. Only `realPath` follows a
 * link that stands at the end of a path: whoever checks where a path leads opens what was checked.
 */
export interface WorkFilesPort {
  /** The path with all links resolved; `undefined` when it does not exist. */
  realPath(path: string): Promise<string | undefined>
  stat(path: string): Promise<FileStat | undefined>
  /** Items in byte order of their names; `undefined` when the folder can't be listed. */
  list(path: string): Promise<readonly WorkItem[] | undefined>
  /** Opens a file for as long as `use` takes. Rejects only with what `use` throws. */
  read<T>(path: string, use: (file: OpenFile) => Promise<T>): Promise<ReadWork<T>>
  /**
   * Replaces a file in one step, so that nobody sees half of it; its mode stays. Folders that are missing are made.
   * @param options.expected the version that is to be replaced, `absent` for a file that must not be there yet. Nothing is
   *   awaited between the last look at it and the step.
   */
  replace(path: string, bytes: Uint8Array, options: { readonly expected: string }): Promise<Replaced>
}

/** Time. */
export interface ClockPort {
  /** Milliseconds since the epoch. */
  now(): number
  /**
   * Calls `fn` after `ms`; returns the function that cancels it.
   * @param options.background a process that has nothing else to wait for ends without it, as for a check of health
   */
  after(ms: number, fn: () => void, options?: { readonly background?: boolean }): () => void
}

/** A program with its arguments, or a script for a shell, which reads no start-up files. */
export type Command =
  | { readonly file: string; readonly args: readonly string[] }
  | { readonly shell: 'sh' | 'bash'; readonly script: string }

/** A command, and how long and how far it may go. */
export interface ProcessRequest {
  readonly command: Command
  readonly cwd: string
  /**
   * The whole environment of the child: nothing is inherited. See `minimalEnv`. On Linux, `nodeProcess` adds
   * `EXT_RUN_ID`, by which it finds processes that left their group.
   */
  readonly env: Readonly<Record<string, string>>
  /** Written to standard input, which is then closed. */
  readonly stdin?: string
  readonly timeoutMs: number
  /** Between TERM and KILL of the process group. Default 1,000. */
  readonly graceMs?: number
  /** Kept per stream; the rest is counted and dropped. Default 1 MiB. */
  readonly maxOutputBytes?: number
  /** Kept besides of the end of a stream that is longer, as `stdoutTail` and `stderrTail`. Default 0. */
  readonly maxTailBytes?: number
  readonly signal?: AbortSignal
}

/** What became of a command. */
export interface ProcessResult {
  /** `ended`: it ran to its end; `cannot-start`: it never ran (see `message`). */
  readonly outcome: 'ended' | 'cannot-start' | 'timed-out' | 'aborted'
  /** `null` unless it ended by itself. */
  readonly exitCode: number | null
  /** Name of the signal that ended it, if one did. */
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  /** The end of what is beyond the cap, when `maxTailBytes` asks for it; it begins with a whole character. */
  readonly stdoutTail?: string
  readonly stderrTail?: string
  /** Bytes received, also those beyond the cap. */
  readonly stdoutBytes: number
  readonly stderrBytes: number
  /** The child left some of `stdin` unread. What fits into the pipe (at least 64 KiB) counts as read. */
  readonly inputNotRead: boolean
  readonly message?: string
  readonly ms: number
}

/** A child that is talked to over its pipes. */
export interface RunningProcess {
  readonly pid: number | undefined
  /** Resolves false when the pipe is gone. */
  write(data: string): Promise<boolean>
  onStdout(listener: (chunk: Uint8Array) => void): void
  /** Attach it in the same turn as the start: what nobody listens to is dropped, so that it can't block the child. */
  onStderr(listener: (chunk: Uint8Array) => void): void
  /**
   * Settles after the real exit, once what it wrote last has arrived; also when the child could not be started
   * (`exitCode` null, `message` set).
   */
  readonly exited: Promise<{
    readonly exitCode: number | null
    readonly signal: string | null
    readonly message?: string
  }>
  /**
   * Closes stdin, waits, then TERM and KILL of the whole process group. Resolves after the real exit, and by
   * `waitMs` + `graceMs` + 0.5 s even if nothing can end the child; `exited` then goes on waiting.
   */
  stop(options?: { readonly waitMs?: number; readonly graceMs?: number }): Promise<void>
}

/** Child processes. */
export interface ProcessPort {
  /**
   * Runs a command to its end. Never rejects; settles by timeout + grace + 0.5 s whatever the child does, and leaves
   * nothing of its process group running, also after a normal end. What left the group (a daemon) lives on after a
   * normal end only.
   */
  run(request: ProcessRequest): Promise<ProcessResult>
  /** Starts a child in its own process group and hands over its pipes. */
  start(request: Pick<ProcessRequest, 'command' | 'cwd' | 'env'>): RunningProcess
}

/** An HTTP request. What it does not name, it does not send: there are no cookies, and nothing is cached. */
export interface FetchRequest {
  /** http: or https:, without a user name or password in it. */
  readonly url: string
  /** Default `GET`. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Headers that, like `authorization`, `cookie` and `proxy-authorization`, no redirect takes to another origin. */
  readonly secretHeaders?: readonly string[]
  readonly body?: string | Uint8Array
  /** For all of it: look-up, connection, redirects, body. Default 30 s. */
  readonly timeoutMs?: number
  /** Of the body of the answer. Default 10 MiB. */
  readonly maxBytes?: number
  /** How many redirects to follow, each checked like a request. Default 0: a redirect is refused and says where to. */
  readonly maxRedirects?: number
  /**
   * Lets a URL whose host is literally `localhost`, `127.0.0.1` or `[::1]` reach this machine. Set it for an entry of
   * configuration that a person wrote or approved; never for a URL that came from a remote side, such as a model, a
   * server or a page. It ends with the first redirect to another origin. Default false.
   */
  readonly allowLoopback?: boolean
}

/** A server answered, with whatever status. */
export interface FetchAnswer {
  readonly outcome: 'answered'
  /** Of the last redirect that was followed. */
  readonly url: string
  readonly status: number
  /** By name in lower case; several of one name are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** As it came; encoded (`content-encoding`) only if the request set `accept-encoding` itself. */
  readonly body: Uint8Array
  /** The body as UTF-8 without its byte order mark; invalid bytes become the replacement character. */
  text(): string
}

/**
 * Why the guard let a request go no further.
 * - `url`, `scheme`, `user-info`, `port`, `method`, `header`: what the request holds
 * - `address`: the host is, or has, an address that is not public · `resolver`: its addresses can't be known
 * - `redirect`: more redirects than may be followed, or one that would give away too much
 * - `proxy`: the environment names a proxy that can't be used
 */
export type FetchRefusal =
  | 'url'
  | 'scheme'
  | 'user-info'
  | 'port'
  | 'method'
  | 'header'
  | 'address'
  | 'resolver'
  | 'redirect'
  | 'proxy'

/**
 * Why a request that was let through has no answer.
 * - `no-such-host`: the name has no address · `connection`: refused, reset or cut off · `tls`: no encrypted one
 * - `proxy`: the proxy made no connection · `protocol`: what came back is no HTTP
 * - `encoding`: the body is compressed, which was not asked for
 */
export type FetchFailure = 'no-such-host' | 'connection' | 'tls' | 'proxy' | 'protocol' | 'encoding'

/** Why there is no answer. */
export type FetchProblem =
  | {
      readonly outcome: 'refused'
      readonly reason: FetchRefusal
      readonly message: string
      /** Of the answer that redirects, for the reason `redirect`. */
      readonly status?: number
      /** Where it redirects to, for the reason `redirect`. */
      readonly location?: string
    }
  | { readonly outcome: 'failed'; readonly reason: FetchFailure; readonly message: string }
  | { readonly outcome: 'timed-out' | 'aborted' | 'too-large'; readonly message: string }

/** What became of a request. */
export type FetchResult = FetchAnswer | FetchProblem

/** HTTP that reaches public addresses only, unless something is allowed by name. Never rejects. */
export type FetchPort = (
  request: FetchRequest,
  options?: { readonly signal?: AbortSignal | undefined },
) => Promise<FetchResult>

/** Everything a library may touch of the machine. */
export interface HostPorts {
  readonly files: FilesPort
  readonly process: ProcessPort
  readonly fetch: FetchPort
  readonly clock: ClockPort
  /** The host's environment variables. Read when asked, never handed on as a whole. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: string
  readonly home: string
}
