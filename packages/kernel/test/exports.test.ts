import { expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import * as ajv from '../src/ajv/index.js'
import * as contract from '../src/contract.js'
import * as duration from '../src/duration/index.js'
import * as env from '../src/env/index.js'
import * as frontmatter from '../src/frontmatter/index.js'
import * as root from '../src/index.js'
import * as match from '../src/match/index.js'
import * as node from '../src/node/index.js'
import * as policy from '../src/policy/index.js'
import * as sarif from '../src/sarif/index.js'
import * as testing from '../src/testing/index.js'
import * as trust from '../src/trust/index.js'
import * as types from '../src/types.js'
import * as words from '../src/words/index.js'

const ENTRIES = {
  '.': root,
  './types': types,
  './contract': contract,
  './duration': duration,
  './frontmatter': frontmatter,
  './match': match,
  './policy': policy,
  './env': env,
  './ajv': ajv,
  './node': node,
  './sarif': sarif,
  './testing': testing,
  './trust': trust,
  './words': words,
}

it('every entry of the package is pinned here', () => {
  expect([...Object.keys(ENTRIES), './package.json']).toEqual(Object.keys(manifest.exports))
})

it('the entries export these names', () => {
  const names = Object.fromEntries(
    Object.entries(ENTRIES).map(([entry, exported]) => [entry, Object.keys(exported).sort().join(' ')]),
  )
  expect(names).toMatchInlineSnapshot(`
    {
      ".": "ExtError LAYERS SourceText appendToYaml canonicalJson checkSchema compareText createPace createReloader createReporter createSnapshotStore definePipeline describe diagnosticCodes documentReader formatDiagnostic formatPlace hasErrors inTurns isForeignLayer isMap joinFileEntries joinPointer layerRank listEntries lookAtFolders lookAtHeads mapEntries mergeEntries messageOf openDocument parseDocument parsePointer readFailure removeFromYaml setInYaml settleAll sortDiagnostics sourceOf suggest trackFiles trackStamps valueAt wrongShape",
      "./ajv": "createSchemaValidator",
      "./contract": "",
      "./duration": "formatDuration parseDuration",
      "./env": "ENV_PRESETS childEnv expandAll expandVariables isSecretName minimalEnv redact",
      "./frontmatter": "SimpleHeader headerEnd parseFrontmatter readSimpleHeader splitFrontmatter",
      "./match": "MATCH_ALL anyOf compileFileGlob compileIgnoreFile compileNameGlob compilePathPattern compileRegex matchNames not resolvePath samenessOfNames",
      "./node": "lineFile nodeClock nodeEditFiles nodeFetch nodeFiles nodeHash nodePorts nodeProcess nodeStamps nodeTrustStore nodeWorkFiles watchFiles",
      "./policy": "POLICY_KEYS PolicyFiles PolicyReader isExemptFromPolicies isPolicyKey misspeltPolicies parseUrlPattern policiesIn",
      "./sarif": "toSarif",
      "./testing": "fakeClock faultyFiles hostileChildren memoryFiles memoryTrustStore memoryWorkFiles",
      "./trust": "consentTo createTrust describeSubject",
      "./types": "",
      "./words": "STOP_WORDS estimateTokens splitWords stemWord",
    }
  `)
})
