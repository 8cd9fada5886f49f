/** Which of a person's files an entry is written to. */
export type Scope = 'user' | 'project' | 'local'

export const SCOPES: readonly Scope[] = ['user', 'project', 'local']
