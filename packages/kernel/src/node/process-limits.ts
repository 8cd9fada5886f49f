/** Between TERM and KILL, unless the caller says otherwise. */
export const DEFAULT_GRACE_MS = 1000
/** How long pipes may stay open after the child is gone: a grandchild can hold them for ever. */
export const DRAIN_MS = 100
/** How long after KILL a child may take to be gone. */
export const UNKILLABLE_MS = 400
