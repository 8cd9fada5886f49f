/**
 * An endpoint of a model provider that plays a script, for tests of whatever asks models over HTTP
 * (`@ext/agent-core/testing`).
 * @module
 */
export { type EndpointOptions, type EndpointRequest, type ScriptedEndpoint, scriptedEndpoint } from './endpoint.js'
