import { isMap } from '@ext/kernel'
import type { ServerNotice } from './session.js'

/** What a notification says; `undefined` for one that is not known here, or that lacks what it is about. */
export function toNotice(method: string, params: unknown): ServerNotice | undefined {
  const said = isMap(params) ? params : {}
  switch (method) {
    case 'notifications/tools/list_changed':
      return { type: 'changed', what: 'tools' }
    case 'notifications/resources/list_changed':
      return { type: 'changed', what: 'resources' }
    case 'notifications/prompts/list_changed':
      return { type: 'changed', what: 'prompts' }
    case 'notifications/resources/updated': {
      const { uri } = said
      return typeof uri === 'string' ? { type: 'updated', uri } : undefined
    }
    case 'notifications/message': {
      const { level, logger, data } = said
      if (typeof level !== 'string') return undefined
      return { type: 'log', level, ...(typeof logger === 'string' ? { logger } : {}), data }
    }
    case 'notifications/elicitation/complete': {
      const { elicitationId: id } = said
      return typeof id === 'string' ? { type: 'elicited', id } : undefined
    }
    default:
      return undefined
  }
}
