/** The id of a task: short, since models and people write it. */
export function taskId(number: number): string {
  return `task-${number}`
}

/** Of an id; 0 for what is none. */
export function taskNumber(id: string): number {
  return Number(/^task-(\d{1,15})$/.exec(id)?.[1] ?? 0)
}
