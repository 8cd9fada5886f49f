import { canonicalJson, type Diagnostic, isMap, messageOf } from '@ext/kernel'
import type { SchemaValidator } from '@ext/kernel/ajv'
import type { Tool } from '@ext/kernel/contract'
import type { ClockPort } from '@ext/kernel/types'
import type { CompiledServer } from '../compiled.js'
import type { Listed } from '../connect/list.js'
import { listCut, pinsFailed } from '../explain/diagnostics.js'
import { type Admitted, admitTools } from '../registry/admit.js'
import { toolName } from '../registry/names.js'
import { withApproved } from '../registry/pins.js'
import { isPlainSchema } from '../registry/plain-schema.js'
import type { ToolOwner } from '../registry/tools.js'
import type { HeldTool, PinnedTools, PinsPort, Provider, ServerId } from '../types.js'
import { type RunTool, Shelf } from './shelf.js'

/** For reading what was approved: the start of a server must not hang on it. */
const PINS_MS = 5000

export interface ToolboxHost {
  readonly clock: ClockPort
  readonly pins: PinsPort
  readonly provider?: Provider | undefined
  validator(): Promise<SchemaValidator>
  readonly run: RunTool
  readonly id: ServerId
  owner(): ToolOwner
  config(): CompiledServer
  changed(): void
}

/** The tools of one server: what it sent, what of that is offered, and what waits for a person. */
export class Toolbox {
  readonly #host: ToolboxHost
  readonly #shelf: Shelf
  #pinsRead: Promise<void> | undefined
  #validator: SchemaValidator | undefined
  #pinned: PinnedTools | undefined
  #listed: Listed | undefined
  #admitted: Admitted | undefined
  #pinsProblem: Diagnostic | undefined
  /** Approvals are written one after the other. */
  #writing: Promise<void> = Promise.resolve()

  constructor(host: ToolboxHost) {
    this.#host = host
    this.#shelf = new Shelf(host.run)
  }

  /** What can be found out while the server starts. */
  begin(): void {
    this.#pinsRead ??= this.#readPins()
  }

  /** What has to be known before a list is taken in. Rejects only if a part of this program can't be loaded. */
  async prepare({ tools }: Listed): Promise<void> {
    this.begin()
    await this.#pinsRead
    if (!tools.every(isPlain)) this.#validator ??= await this.#host.validator()
  }

  /** Takes over a list as the server sent it, for which everything is prepared. */
  take(listed: Listed): void {
    this.#listed = listed
    this.admit()
  }

  /** Goes through the list again, because what is said about it is different now. */
  admit(): void {
    if (!this.#listed) return
    this.#admitted = admitTools({
      owner: this.#host.owner(),
      server: this.#host.config(),
      sent: this.#listed.tools,
      mirrors: this.#listed.mirrors,
      pinned: this.#pinned,
      // Only asked about schemas for which it was loaded.
      validator: this.#validator ?? NO_PROBLEM,
      provider: this.#host.provider,
    })
    if (this.#admitted.pins) this.#pin(this.#admitted.pins)
    this.#shelf.put(this.#admitted.tools)
  }

  get tools(): readonly Tool[] {
    return this.#shelf.tools
  }

  marked(cause: string): readonly Tool[] {
    return this.#shelf.marked(this.#host.id.name, cause)
  }

  get held(): readonly HeldTool[] {
    return this.#admitted?.held ?? []
  }

  get hidden(): Admitted['hidden'] {
    return this.#admitted?.hidden ?? []
  }

  /** The tool of a full name, or why it is not offered; `undefined` if there is none of this name. */
  find(
    fullName: string,
  ):
    | { readonly tool: Tool; readonly why?: undefined }
    | { readonly tool?: undefined; readonly why: string }
    | undefined {
    const tool = this.tools.find(({ name }) => name === fullName)
    if (tool) return { tool }
    const { held = [], hidden = [] } = this.#admitted ?? {}
    if (held.some(({ name }) => name === fullName))
      return { why: 'it is not what was approved, and waits for a person' }
    const why = hidden.find((each) => toolName(this.#host.id.name, each.tool) === fullName)?.why
    return why === undefined ? undefined : { why }
  }

  /** See `McpClient.approve`. That it can't be kept becomes a diagnostic; the tools are offered all the same. */
  async approve(tools?: readonly (string | HeldTool)[]): Promise<readonly HeldTool[]> {
    const approved = this.held.filter((held) => tools === undefined || tools.some((each) => isSame(each, held)))
    if (approved.length === 0) return []
    const names = new Set(approved.map(({ tool }) => tool))
    const waiting = this.#admitted?.waiting.filter(({ tool }) => names.has(tool)) ?? []
    this.#pin(withApproved(this.#pinned, waiting))
    this.admit()
    this.#host.changed()
    await this.#writing
    return approved
  }

  /** Resolves once all approvals are kept. Never rejects. */
  get written(): Promise<void> {
    return this.#writing
  }

  get diagnostics(): readonly Diagnostic[] {
    const cut = this.#listed?.cut
    return [
      ...(this.#admitted?.diagnostics ?? []),
      ...(cut === undefined ? [] : [listCut(this.#host.owner(), cut)]),
      ...(this.#pinsProblem ? [this.#pinsProblem] : []),
    ]
  }

  async #readPins(): Promise<void> {
    const { clock, pins, id, owner } = this.#host
    let cancel = () => {}
    const late = new Promise<never>((_resolve, reject) => {
      cancel = clock.after(PINS_MS, () => reject(new Error(`it took more than ${PINS_MS / 1000} s`)))
    })
    try {
      this.#pinned = await Promise.race([pins.read(id), late])
    } catch (error) {
      this.#pinsProblem = pinsFailed(owner(), 'read', messageOf(error))
    } finally {
      cancel()
    }
  }

  #pin(next: PinnedTools): void {
    this.#pinned = next
    const { pins, id, owner, changed } = this.#host
    this.#writing = this.#writing.then(async () => {
      try {
        await pins.write(id, next)
      } catch (error) {
        this.#pinsProblem = pinsFailed(owner(), 'kept', messageOf(error))
        changed()
      }
    })
  }
}

/** Whether a held tool is the one that is meant: by name, or as it was when a person looked at it. */
function isSame(meant: string | HeldTool, held: HeldTool): boolean {
  if (typeof meant === 'string') return meant === held.tool
  return meant.tool === held.tool && canonicalJson(meant.changes) === canonicalJson(held.changes)
}

const NO_PROBLEM: Pick<SchemaValidator, 'check'> = { check: () => undefined }

function isPlain(tool: unknown): boolean {
  return !isMap(tool) || !isMap(tool['inputSchema']) || isPlainSchema(tool['inputSchema'])
}
