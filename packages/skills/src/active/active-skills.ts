import type { RunTerms } from '@ext/kernel/contract'
import type { SkillVersion } from '../activate/read.js'
import { bringsOf, limitsOf } from '../activate/terms.js'
import { foldName } from '../names.js'
import type { ActivatedBy, Skill } from '../types.js'

/** A skill that is active in a session. */
export interface ActiveRecord {
  readonly skill: Skill
  /** As it goes with each turn. */
  readonly text: string
  readonly via: ActivatedBy
  /** Counts the activations of the session: the newest has the highest. */
  readonly age: number
  /** `text` is less than its instructions: a compaction has left no room for more. */
  readonly cut: boolean
}

interface Kept extends ActiveRecord {
  readonly limits: readonly RunTerms[]
}

/** What is active in one session. Every change is one synchronous step. */
export class ActiveSkills {
  readonly #records = new Map<string, Kept>()
  /** What skills bring for the run that is under way, by their names. */
  readonly #brings = new Map<string, readonly RunTerms[]>()
  /** The newest version of each skill that was read, to go on with when its file breaks. */
  readonly #versions = new Map<string, SkillVersion>()
  /** Limits of the session from before it was resumed, whatever has become of their skills since. */
  #limitsBefore: readonly RunTerms[] = []
  #terms: readonly RunTerms[] | undefined
  #age = 0
  /** Counts the runs of the session. */
  #run = 0

  get run(): number {
    return this.#run
  }

  get(name: string): ActiveRecord | undefined {
    return this.#records.get(foldName(name))
  }

  lastGood(name: string): SkillVersion | undefined {
    return this.#versions.get(foldName(name))
  }

  /** @param name under which the skill was loaded; an edit may have given it another one */
  keep(name: string, version: SkillVersion): void {
    this.#versions.set(foldName(name), version)
  }

  /** In the order of their first activation. */
  list(): readonly ActiveRecord[] {
    return [...this.#records.values()]
  }

  /**
   * @param record.run in which it was asked for. What it brings for a run is lost if that is over: nobody else's run gets
   *   it.
   */
  add(record: Pick<ActiveRecord, 'skill' | 'text' | 'via'> & { readonly run: number }): void {
    const { run, ...rest } = record
    const key = foldName(record.skill.name)
    this.#age++
    this.#rename(record.skill, key)
    // Setting a key that is there keeps its place. What was brought last is to count first, so that one moves.
    const limits = joinLimits(this.#records.get(key)?.limits ?? [], limitsOf(record.skill))
    this.#records.set(key, { ...rest, age: this.#age, cut: false, limits })
    this.#brings.delete(key)
    if (run === this.#run) this.#brings.set(key, bringsOf(record.skill))
    this.#terms = undefined
  }

  /** An edit may have given a skill another name: then it is the same one still, in its place and with its limits. */
  #rename({ file }: Skill, key: string): void {
    const [before] = [...this.#records].find(([other, { skill }]) => other !== key && skill.file === file) ?? []
    if (before === undefined) return
    const limits = joinLimits(this.#records.get(key)?.limits ?? [], this.#records.get(before)?.limits ?? [])
    const records = [...this.#records].filter(([other]) => other !== key)
    this.#records.clear()
    for (const [other, record] of records) {
      if (other === before) this.#records.set(key, { ...record, limits })
      else this.#records.set(other, record)
    }
    this.#brings.delete(before)
  }

  /** As it was in another process: the limits that it has now hold, and what it brought for a run is long over. */
  restore({ skill, text, via, cut }: Pick<ActiveRecord, 'skill' | 'text' | 'via' | 'cut'>): void {
    this.#age++
    const kept = { skill, text, via, cut, age: this.#age, limits: limitsOf(skill) }
    this.#records.set(foldName(skill.name), kept)
    this.#terms = undefined
  }

  restoreLimits(limits: readonly RunTerms[]): void {
    this.#limitsBefore = joinLimits(this.#limitsBefore, limits)
    this.#terms = undefined
  }

  /** All that is refused until the session is cleared. */
  limits(): readonly RunTerms[] {
    return joinLimits(
      this.#limitsBefore,
      [...this.#records.values()].flatMap(({ limits }) => limits),
    )
  }

  /** Puts another text in the place of the one of an active skill. */
  shorten(name: string, text: string): void {
    const key = foldName(name)
    const record = this.#records.get(key)
    if (record) this.#records.set(key, { ...record, text, cut: true })
  }

  /** The same list until something changes. */
  terms(): readonly RunTerms[] {
    this.#terms ??= Object.freeze([...this.limits(), ...[...this.#brings.values()].flat()])
    return this.#terms
  }

  runEnded(): void {
    this.#run++
    if (this.#brings.size === 0) return
    this.#brings.clear()
    this.#terms = undefined
  }
}

/** Whoever can edit a skill must not get rid of its limits by loading it once more, or by resuming the session. */
function joinLimits(before: readonly RunTerms[], now: readonly RunTerms[]): readonly RunTerms[] {
  return [...new Map([...before, ...now].map((terms) => [JSON.stringify(terms), terms])).values()]
}
