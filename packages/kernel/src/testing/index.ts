/**
 * Fakes for the ports (`@ext/kernel/testing`): the clock and the file system. Children and servers are real in tests;
 * `hostileChildren` are those that misbehave.
 * @module
 */
export { type FakeClock, fakeClock } from './clock.js'
export { type FileFault, faultyFiles, memoryFiles } from './files.js'
export { type HostileChild, type HostileName, hostileChildren } from './hostile.js'
export { memoryTrustStore } from './trust.js'
export { type MemoryWorkFiles, memoryWorkFiles } from './work-files.js'
