/**
 * Fakes for the ports (`@ext/kernel/testing`): the clock and the file system. Children and servers are real in tests.
 * @module
 */
export { type FakeClock, fakeClock } from './clock.js'
export { memoryFiles } from './files.js'
