/** Names of agents are the same in any case and in any Unicode normal form, as file systems and people write them. */
export function foldName(name: string): string {
  return name.toLowerCase().normalize('NFC')
}
