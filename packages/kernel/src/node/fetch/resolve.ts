import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { rangeOf } from './guard.js'
import { explain, failed, refused } from './stop.js'
import type { Exemption } from './url.js'

/**
 * All addresses of a host name. Rejects with an error whose `code` is `ENOTFOUND` or `ENODATA` when there is none; any
 * other error refuses the request.
 */
export type Resolver = (host: string) => Promise<readonly string[]>

/** The resolver of the machine, which also knows its hosts file. */
export async function systemResolver(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

/**
 * The addresses that may be dialled for a host. One that may not be refuses the whole answer: a public name with a
 * private address beside a public one is no accident.
 * @param host a name, or an address without brackets
 * @throws FetchStop
 */
export async function checkedAddresses(
  host: string,
  exempt: Exemption | undefined,
  resolve: Resolver,
): Promise<readonly string[]> {
  const addresses = isIP(host) === 0 ? await resolved(host, resolve) : [host]
  for (const address of addresses) {
    const range = rangeOf(address)
    if (range === 'not an address') throw refused('resolver', `The resolver answered ${address} for ${host}.`)
    if (range === 'global' || exempt === 'allowed' || range === exempt) continue
    const whose = address === host ? '' : ` of ${host}`
    throw refused('address', `The address ${address}${whose} is not public (${range}).`)
  }
  return addresses
}

async function resolved(host: string, resolve: Resolver): Promise<readonly string[]> {
  let addresses: readonly string[] = []
  try {
    addresses = await resolve(host)
  } catch (error) {
    const { code } = error as { readonly code?: unknown }
    if (code !== 'ENOTFOUND' && code !== 'ENODATA') {
      throw refused('resolver', `The addresses of ${host} can't be checked: ${explain(error)}.`)
    }
  }
  if (addresses.length === 0) throw failed('no-such-host', `There is no host ${host}.`)
  return addresses
}
