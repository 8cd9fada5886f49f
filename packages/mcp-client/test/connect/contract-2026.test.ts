import { connect } from '../../src/connect/connect.js'
import { sessionContract } from './contract.js'
import { overHttp, overStdio } from './ground.js'

const http = true
const revision = '2026'

// On @modelcontextprotocol/client, in the revision that only this one speaks.
sessionContract('stdio in 2026-07-28', overStdio(connect, '2026'), { revision })
sessionContract('HTTP in 2026-07-28, answered with streams', overHttp(connect, {}, { protocol: '2026' }), {
  http,
  revision,
})
sessionContract('HTTP in 2026-07-28, answered with JSON', overHttp(connect, { answer: 'json' }, { protocol: '2026' }), {
  http,
  revision,
  oneWay: false,
})

// The same, for servers that know nothing of it.
sessionContract('HTTP in 2025, which is found out', overHttp(connect, {}, { protocol: 'auto' }), { http })
