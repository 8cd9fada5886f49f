import type { Diagnostic } from '@ext/kernel'
import type { JsonObject, Tool, ToolInfo, ToolResult } from '@ext/kernel/contract'
import { redact } from '@ext/kernel/env'
import type { SnapshotEntry, Source } from '@ext/kernel/types'
import { Answers } from '../answer/answers.js'
import type { CompiledServer } from '../compiled.js'
import type { Listed } from '../connect/list.js'
import { plain, remark } from '../connect/log.js'
import type { Greeting, Patience, ServerNotice, Session } from '../connect/session.js'
import { notOffered, unavailable } from '../explain/calls.js'
import { askedInVain } from '../explain/diagnostics.js'
import type { ToolOwner } from '../registry/tools.js'
import type { CallOptions, HeldTool, HiddenTool, ServerStatus } from '../types.js'
import { Calls } from './calls.js'
import type { ServerHost } from './host.js'
import { Lifeline } from './lifeline.js'
import { logLines, setLogLevel } from './log-messages.js'
import { Offers } from './offers.js'
import { Recall } from './recall.js'
import { ServerRecord } from './record.js'
import { Relist } from './relist.js'
import { isAvailable, isComing, isUp, type Life } from './state.js'
import { Subscriptions } from './subscriptions.js'
import { Toolbox } from './toolbox.js'
import { unsent, withFacts } from './track.js'

const NONE: readonly Tool[] = Object.freeze([])
const IDLE_HINT = 'It starts with the first call of one of its tools.'
const MAX_NAME = 100
/** Of what a server says in an error; nobody reads more. */
const MAX_SAID = 8192

/** One configured server, from its start to its end. Nothing that it does rejects or reaches its siblings. */
export class Server {
  readonly name: string
  /** Its resources and prompts. */
  readonly offers: Offers
  readonly subscriptions: Subscriptions
  readonly #host: ServerHost
  readonly #lifeline: Lifeline
  readonly #toolbox: Toolbox
  readonly #relist: Relist
  readonly #recall: Recall
  readonly #calls: Calls
  readonly #answers: Answers
  readonly #record = new ServerRecord()
  #entry: SnapshotEntry<CompiledServer>
  #owner: ToolOwner
  #greeting: Greeting | undefined
  /** What the server says about its use, now or the last time. */
  #instructions: string | undefined
  /** Whether it had resources the last time. */
  #hadResources = false
  #roots: string | undefined

  /** @param after what has to be over before it is started */
  constructor(entry: SnapshotEntry<CompiledServer>, host: ServerHost, after?: Promise<void>) {
    const { clock } = host
    const config = () => this.#entry.value
    this.name = entry.name
    this.#host = host
    this.#entry = entry
    this.#owner = ownerOf(entry)
    const id = { name: entry.name, source: sourceOf(entry) }
    this.#toolbox = new Toolbox({
      ...host,
      run: (tool, input, { signal, progress, trace, session }) =>
        this.call(tool, input, { signal, onProgress: progress, trace, session }),
      id,
      owner: () => this.#owner,
      config,
    })
    this.#lifeline = new Lifeline(
      {
        clock,
        chance: host.chance,
        start: () => this.#start(),
        draw: (within) => {
          const attributes = { 'ext.mcp.server': entry.name, 'ext.mcp.transport': config().endpoint().kind }
          return host.draw?.('ext.mcp.connect', attributes, within)
        },
        patience: host.patience,
        settings: () => ({ ...config(), kind: config().endpoint().kind }),
        prepare: (listed) => this.#toolbox.prepare(listed),
        up: ({ session, greeting, listed }) => {
          this.#greeting = greeting
          this.#instructions = greeting.instructions
          this.#record.up()
          this.#calls.forgive()
          this.#take(listed)
          this.#relist.up(listed.freshMs)
          this.offers.forget()
          this.subscriptions.renew()
          this.#askForLog(session, greeting)
        },
        down: (downfall) => {
          this.#record.down(downfall)
          this.#relist.rest()
        },
        shown: (text) => this.#shown(text),
        busy: () => this.#calls.counts.running > 0,
        changed: host.changed,
      },
      config().lazy,
      after,
    )
    this.#recall = new Recall({ ...host, id, owner: () => this.#owner, endpointKey: () => config().endpointKey() })
    this.#relist = new Relist({
      clock,
      listMs: () => config().listMs,
      session: () => this.#lifeline.session,
      tells: () => this.#greeting?.capabilities.toolsChange === true && this.#lifeline.seen?.deaf === undefined,
      prepare: (listed) => this.#toolbox.prepare(listed),
      relisted: (listed) => {
        this.#record.listed()
        this.#take(listed)
        host.changed()
      },
      failed: (why) => {
        this.#record.listFailed(this.#shown(why))
        host.changed()
      },
    })
    const server = entry.name
    const { validator, listen, changed } = host
    this.#answers = new Answers({
      ...host.asking,
      server,
      clock,
      validator,
      roots: () => host.roots(config()),
      changed,
    })
    this.#roots = this.#rootsNow()
    this.#calls = new Calls({
      ...host,
      server,
      lifeline: this.#lifeline,
      visited: (pages, options) => this.#answers.visited(pages, options),
      config,
      greeting: () => this.#greeting,
      refusal: ({ name }) => {
        const found = this.#toolbox.find(name)
        return found?.tool ? undefined : notOffered(this.name, name, found?.why)
      },
    })
    this.offers = new Offers({
      server,
      calls: this.#calls,
      capabilities: () => this.#greeting?.capabilities,
      listMs: () => config().listMs,
    })
    this.subscriptions = new Subscriptions({
      server,
      clock,
      calls: this.#calls,
      session: () => this.#lifeline.session,
      tells: () => this.#greeting?.capabilities.subscribe !== false,
      listen,
    })
  }

  /** Starts it, and awaits nothing before; or, if it is lazy and its tools are known, leaves that to the first call. */
  begin(): void {
    if (this.#entry.value.lazy) void this.#remember()
    else this.#lifeline.begin()
  }

  get entry(): SnapshotEntry<CompiledServer> {
    return this.#entry
  }

  get owner(): ToolOwner {
    return this.#owner
  }

  get life(): Life {
    return this.#lifeline.life
  }

  /** What it says about the use of its tools, if that is known. */
  get instructions(): string | undefined {
    return this.#instructions
  }

  /** Resolves when it has been up or has failed once, or stays idle. */
  get settled(): Promise<void> {
    return this.#lifeline.settled
  }

  get hasSettled(): boolean {
    return this.#lifeline.hasSettled
  }

  /** What is listed now. The same array as long as it holds the same. */
  get tools(): readonly Tool[] {
    const { life } = this
    if (this.#isThere) return this.#toolbox.tools
    if (life.state === 'closed' || this.#host.whenDown === 'hide') return NONE
    return this.#toolbox.marked(life.cause ?? 'ended')
  }

  /** Somebody looks at what is listed. */
  wanted(): void {
    this.#relist.wanted()
  }

  get held(): readonly HeldTool[] {
    const { life } = this
    return isAvailable(life) || isComing(life) ? this.#toolbox.held : []
  }

  get hidden(): readonly HiddenTool[] {
    return isAvailable(this.life) ? this.#toolbox.hidden.map((each) => ({ server: this.name, ...each })) : []
  }

  approve(tools?: readonly (string | HeldTool)[]): Promise<readonly HeldTool[]> {
    return this.#toolbox.approve(tools)
  }

  get status(): ServerStatus {
    const { state, since, cause, retryAt } = this.life
    const hint = state === 'idle' ? IDLE_HINT : this.life.hint
    const { connectMs, seen } = this.#lifeline
    // The next attempt is silent at first, and the cause is still that of the one before.
    const stderrTail = seen?.stderrTail || this.#record.lastWords
    return {
      name: this.name,
      state,
      since,
      ...(cause === undefined ? {} : { cause }),
      ...(hint === undefined ? {} : { hint }),
      ...(retryAt === undefined ? {} : { retryAt }),
      ...(connectMs === undefined ? {} : { connectMs }),
      tools: this.tools.length,
      held: this.held.length,
      adapted: this.tools.filter(({ modelSchema }) => modelSchema !== undefined).length,
      used: this.#host.usage.ofServer(this.name),
      ...(this.#greeting ? { server: introduction(this.#greeting) } : {}),
      calls: this.#calls.counts,
      source: this.#owner.place,
      ...(stderrTail === '' ? {} : { stderrTail }),
    }
  }

  get diagnostics(): readonly Diagnostic[] {
    const { seen } = this.#lifeline
    return [
      ...this.#record.diagnostics(this.#owner, this.life, seen),
      ...this.#toolbox.diagnostics,
      ...this.#recall.diagnostics,
      ...this.#answers.notes.map((note) => askedInVain(this.#owner, note)),
    ]
  }

  /** Whether it says that it has this, and is up, will soon be, or starts when it is wanted. */
  has(what: 'resources' | 'prompts'): boolean {
    if (!this.#isThere) return false
    return this.#greeting ? this.#greeting.capabilities[what] : what === 'resources' && this.#hadResources
  }

  /** The folders that it may know of can be others now. */
  tellRoots(): void {
    const before = this.#roots
    this.#roots = this.#rootsNow()
    if (this.#roots !== before) this.#lifeline.session?.rootsChanged()
  }

  /** Whether a tool of this full name is, was or could be one of its own. */
  knows(fullName: string): boolean {
    return this.#toolbox.find(fullName) !== undefined || fullName.startsWith(`mcp__${this.name}__`)
  }

  /** Calls a tool that is in no list: because the server is down, or because the tool is kept back or does not exist. */
  async callUnlisted(fullName: string, input: JsonObject, options: CallOptions): Promise<ToolResult> {
    const found = this.#toolbox.find(fullName)
    if (found?.tool) return this.call(found.tool, input, options)
    // A name that nobody knows is no reason to start a server.
    const isIdle = this.life.state === 'idle'
    if (!isIdle) this.#lifeline.wake()
    const result =
      isIdle || isUp(this.life)
        ? notOffered(this.name, fullName, found?.why)
        : unavailable(this.name, this.life, this.#host.clock.now())
    const facts = unsent(result)
    this.#host.onCall?.({ server: this.name, name: fullName, ...facts })
    return withFacts(result, facts)
  }

  /** @throws the signal's reason when it aborts; nothing else */
  call(tool: ToolInfo, input: JsonObject, options: CallOptions): Promise<ToolResult> {
    return this.#calls.run(tool, input, options)
  }

  /** Takes over a version of its entry that starts or reaches the same. Calls under way keep the limits they began with. */
  configure(entry: SnapshotEntry<CompiledServer>): void {
    const isSame = entry.value.entryKey() === this.#entry.value.entryKey()
    this.#entry = entry
    this.#owner = ownerOf(entry)
    if (isSame) return
    this.#calls.retune()
    this.#lifeline.retime()
    this.#toolbox.admit()
    if (!entry.value.lazy) this.#lifeline.begin()
  }

  /** Ends it for good. Resolves once nothing of it is left; calling again with less patience hurries it. */
  async close(patience: Patience = this.#host.patience): Promise<void> {
    const closed = this.#lifeline.close(patience)
    this.#relist.rest()
    this.subscriptions.rest()
    this.#calls.abort()
    await Promise.all([closed, this.#recall.written, this.#toolbox.written])
  }

  /** Takes over a list as the server has just sent it. */
  #take(listed: Listed): void {
    this.#toolbox.take(listed)
    if (!this.#entry.value.lazy) return
    const resources = this.#greeting?.capabilities.resources === true
    this.#recall.keep(listed, { instructions: this.#instructions, resources })
  }

  /** Takes over what is known of a lazy server, which then stays idle; starts it if nothing is. Never rejects. */
  async #remember(): Promise<void> {
    const known = await this.#recall.read()
    // Whatever is in the way then is in the way of starting it too, and is said there.
    const listed = known && { mirrors: false, ...known }
    const prepared = listed && this.#toolbox.prepare(listed)
    const isPrepared = await prepared?.then(
      () => true,
      () => false,
    )
    // Somebody may have wanted it meanwhile, or does not want it any more.
    if (this.life.state !== 'idle') return
    if (!listed || !isPrepared) return this.#lifeline.begin()
    this.#instructions = listed.instructions
    this.#hadResources = listed.resources === true
    this.#toolbox.take(listed)
    this.#lifeline.rest()
  }

  /** A text that can hold words of the server, for status and diagnostics. */
  #shown(text: string): string {
    return remark(redact(plain(text.slice(0, MAX_SAID)), { secrets: this.#entry.value.secrets() }))
  }

  get #isThere(): boolean {
    const { life } = this
    return isAvailable(life) || (isComing(life) && !life.givenUp)
  }

  /** As they can be compared; a fault of the program is said once the server asks. */
  #rootsNow(): string | undefined {
    try {
      return JSON.stringify(this.#host.roots(this.#entry.value))
    } catch {
      return undefined
    }
  }

  #start(): Session {
    const { connect, onLog } = this.#host
    const config = this.#entry.value
    const secrets = config.secrets()
    this.#toolbox.begin()
    return connect(config.endpoint(), {
      mask: (text) => redact(text, { secrets }),
      ...(onLog ? { onLog: (line: string) => onLog(this.name, line) } : {}),
      onNotice: (notice) => this.#noticed(notice, secrets),
      answering: this.#answers,
    })
  }

  #noticed(notice: ServerNotice, secrets: readonly string[]): void {
    const { onLog, changed } = this.#host
    if (notice.type === 'updated') this.subscriptions.updated(notice.uri)
    else if (notice.type === 'elicited') this.#answers.elicited(notice.id)
    else if (notice.type === 'log') {
      if (!onLog) return
      const { level, lines } = logLines(notice, secrets)
      for (const line of lines) onLog(this.name, line, level)
    } else if (notice.what === 'tools') this.#relist.announced()
    else {
      this.offers.changed(notice.what)
      changed()
    }
  }

  #askForLog(session: Session, { capabilities }: Greeting): void {
    const { clock, logLevel } = this.#host
    if (logLevel === undefined || !capabilities.logging) return
    void setLogLevel(session, logLevel, clock, this.#entry.value.callMs).then((why) => {
      if (why === undefined || session !== this.#lifeline.session) return
      this.#record.logRefused(this.#shown(why))
      this.#host.changed()
    })
  }
}

function ownerOf(entry: SnapshotEntry<CompiledServer>): ToolOwner {
  return { name: entry.name, trusted: entry.value.trusted, entry: entry.id, place: entry.at() }
}

/** Without a line: approval holds wherever in its file an entry stands. */
function sourceOf({ source: { layer, file, name } }: SnapshotEntry<CompiledServer>): Source {
  return { layer, ...(file === undefined ? {} : { file }), ...(name === undefined ? {} : { name }) }
}

function introduction({ name, version, protocolVersion }: Greeting): NonNullable<ServerStatus['server']> {
  return { name: remark(name, MAX_NAME), version: remark(version, MAX_NAME), protocolVersion }
}
