/**
 * Instruction files: `AGENTS.md`, `CLAUDE.md` and their relatives (`@ext/agent-core/instructions`).
 * @module
 */
export { type InstructionFilesOptions, instructionFiles, type ProjectFile } from './load.js'
