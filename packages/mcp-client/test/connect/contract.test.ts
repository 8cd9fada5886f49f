import { sessionContract } from './contract.js'
import { overHttp, overStdio } from './ground.js'

sessionContract('stdio', overStdio)
sessionContract('HTTP, answered with streams', overHttp({ answer: 'stream' }))
sessionContract('HTTP, answered with JSON', overHttp({ answer: 'json' }), { oneWay: false })
sessionContract('HTTP of the older form', overHttp({ form: 'sse' }, { form: 'sse' }))
sessionContract('HTTP of the older form, which is found out', overHttp({ form: 'sse' }))
