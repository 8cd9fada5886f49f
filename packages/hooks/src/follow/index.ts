/**
 * For programs around a loop (`@ext/hooks/follow`): tells hooks that configuration or other files have changed, and lets
 * them refuse what is to be taken over.
 * @module
 */
export {
  type ConfigDifference,
  type ConfigFollower,
  type ConfigFollowerOptions,
  type ConfigLook,
  followConfig,
} from './config.js'
export { type FileFollower, type FileFollowerOptions, followFiles } from './files.js'
