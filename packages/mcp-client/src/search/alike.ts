import { stemWord } from '@ext/kernel/words'

/** What tools do: many have these words in common, so they say less than what it is done to. */
const ACTIONS: readonly string[] = [
  'create add new make insert',
  'delete remove drop erase wipe clear discard',
  'update edit change modify adjust set put replace',
  'get read show view fetch see look retrieve describe check details',
  'list all which overview enumerate',
  'search find look query lookup',
  'send post write tell say share publish',
  'start run launch trigger begin execute invoke',
  'stop end cancel terminate abort kill halt',
  'open',
  'close finish complete',
  'copy duplicate clone fork',
  'move rename shift',
  'save store keep',
  'give grant allow let assign',
]

/** What things are called. */
const THINGS: readonly string[] = [
  'email mail',
  'message chat text',
  'reply answer respond comment',
  'event meeting appointment invitation',
  'issue ticket bug task',
  'directory folder',
  'file document',
  'image picture photo screenshot media',
  'archive zip tar unzip compress extract pack',
  'user person people member who',
  'invite add member guest attendee',
  'repository repo',
  'database db sql',
  'configuration config settings',
  'error failure problem failed broken crash',
  'cost bill price spend usage budget',
  'pr pull request',
  'ci workflow build pipeline',
  'instance machine vm server host',
  'page site website web webpage',
  'click press button tap',
  'select choose pick option dropdown',
  'type enter fill form',
  'difference diff compare changed',
  'history log changelog past recent',
  'thread discussion conversation',
  'vacation holiday absence leave away',
  'schedule later plan',
  'reminder remind',
  'time hour duration minute',
  'slow performance',
  'unused never',
  'connection session backend',
  'permission privilege role access',
  'dump backup export',
  'secret password key token credential',
  'firewall security ingress inbound port',
  'dns domain record',
  'cache cdn invalidate flush',
  'scale count',
  'function lambda',
  'bucket s3 object',
  'alert alarm warn warning notify notification',
  'vulnerable vulnerability security dependency package',
  'release version publish',
  'status state presence online active',
  'emoji reaction',
  'phone mobile device tablet',
  'checksum hash',
  'forward pass',
  'location place',
]

const ACTION_STEMS: ReadonlySet<string> = new Set(ACTIONS.flatMap((group) => group.split(' ').map(stemWord)))
const BY_STEM: ReadonlyMap<string, readonly string[]> = groupsByStem([...ACTIONS, ...THINGS])

/** Stems of words that people and authors of tools use for about the same, without the one that is given. */
export function otherWords(stem: string): readonly string[] {
  return BY_STEM.get(stem) ?? []
}

/** Whether a stem says what is done, and not to what. */
export function isCommon(stem: string): boolean {
  return ACTION_STEMS.has(stem)
}

function groupsByStem(groups: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const group of groups) {
    const stems = group.split(' ').map(stemWord)
    for (const stem of stems) found.set(stem, [...(found.get(stem) ?? []), ...stems.filter((other) => other !== stem)])
  }
  return found
}
