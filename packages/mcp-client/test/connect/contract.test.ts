import { connect } from '../../src/connect/connect.js'
import { sessionContract } from './contract.js'
import { overHttp, overStdio } from './ground.js'

sessionContract('stdio', overStdio(connect))
sessionContract('HTTP, answered with streams', overHttp(connect, { answer: 'stream' }))
sessionContract('HTTP, answered with JSON', overHttp(connect, { answer: 'json' }), { oneWay: false })
sessionContract('HTTP of the older form', overHttp(connect, { form: 'sse' }, { form: 'sse' }))
sessionContract('HTTP of the older form, which is found out', overHttp(connect, { form: 'sse' }))
