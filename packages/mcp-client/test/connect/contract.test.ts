import { connect } from '../../src/connect/connect.js'
import { sessionContract } from './contract.js'
import { overHttp, overStdio } from './ground.js'

const http = true

// On @modelcontextprotocol/sdk.
sessionContract('stdio', overStdio(connect))
sessionContract('HTTP, answered with streams', overHttp(connect, { answer: 'stream' }), { http })
sessionContract('HTTP, answered with JSON', overHttp(connect, { answer: 'json' }), { http, oneWay: false })
sessionContract('HTTP of the older form', overHttp(connect, { form: 'sse' }, { form: 'sse' }), { http })
sessionContract('HTTP of the older form, which is found out', overHttp(connect, { form: 'sse' }), { http })
