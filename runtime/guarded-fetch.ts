import { promises as dns, type LookupAddress } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { isLoopbackAddress, isPublicAddress } from './public-address.ts';

/**
 * Fetches JSON from a URL of an untrusted sender. The origin must be on a list. The address is checked when the socket
 * is opened, so that the connection uses the checked address even if the name resolves differently later. Redirects are
 * not followed. Time and size are bounded, also of a decompressed body. Outcomes contain no part of the URL or the
 * body.
 */
export interface Guard {
  /** Allowed exact origins (`https://host[:port]`). One whose host is a loopback address is allowed as it is. */
  readonly origins: readonly string[];
  /** Timeout of name resolution, TCP and TLS. */
  readonly connectMs: number;
  /** Timeout of the whole request, to the last byte. */
  readonly totalMs: number;
  readonly mostBytes: number;
  /** Bytes that all fetches of the process may hold together. */
  readonly held: ByteLimit;
  readonly signal: AbortSignal;
  /** Resolves names. Default: the system resolver. */
  readonly resolve?: Resolve;
}

/** Returns all addresses of a name. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

/** Why nothing was fetched. `crowded`: other fetches use the memory. `stopped`: the caller's signal. */
export type FetchFailure =
  | 'origin_refused'
  | 'address_refused'
  | 'unreachable'
  | 'timed_out'
  | 'redirected'
  | 'status'
  | 'not_json'
  | 'too_large'
  | 'cut_off'
  | 'crowded'
  | 'stopped';

/** A body whose bytes count against the limit until `release` is called, or a failure with facts from the answer. */
export type Fetched =
  | { readonly ok: true; readonly body: Buffer; readonly release: () => void }
  | {
      readonly ok: false;
      readonly failure: FetchFailure;
      readonly status: number | null;
      readonly retryAfter: string | null;
    };

/** Fetches one body. Never throws: errors are outcomes. */
export async function guardedFetch(url: URL, guard: Guard): Promise<Fetched> {
  const refusal = refusalOf(url, guard.origins);
  if (refusal !== null) return failed(refusal);
  const end = new AbortController();
  let ended: FetchFailure | null = null;
  const stop = (failure: FetchFailure) => {
    ended ??= failure;
    end.abort();
  };
  const connecting = setTimeout(stop, guard.connectMs, 'unreachable');
  const whole = setTimeout(stop, guard.totalMs, 'timed_out');
  const stopped = () => stop('stopped');
  guard.signal.addEventListener('abort', stopped, { once: true });
  if (guard.signal.aborted) stopped();
  try {
    const response = await open(url, guard, end.signal, () => clearTimeout(connecting));
    clearTimeout(connecting);
    return await take(response, guard);
  } catch (error) {
    return failed(ended ?? failureOf(error));
  } finally {
    clearTimeout(connecting);
    clearTimeout(whole);
    guard.signal.removeEventListener('abort', stopped);
  }
}

/** A number of bytes that several holders share. A request that exceeds the rest fails. */
export interface ByteLimit {
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/** Creates a byte limit. */
export function byteLimit(most: number): ByteLimit {
  let held = 0;
  return {
    take(bytes) {
      if (held + bytes > most) return false;
      held += bytes;
      return true;
    },
    give(bytes) {
      held -= bytes;
    },
  };
}

class Stop extends Error {
  readonly failure: FetchFailure;
  constructor(failure: FetchFailure) {
    super(failure);
    this.failure = failure;
  }
}

function failed(failure: FetchFailure, response?: http.IncomingMessage): Fetched {
  const status = response?.statusCode ?? null;
  return { ok: false, failure, status, retryAfter: response?.headers['retry-after'] ?? null };
}

function failureOf(error: unknown): FetchFailure {
  return error instanceof Stop ? error.failure : 'unreachable';
}

// A literal address is never resolved, so it is checked here. A listed one was configured by the operator. Of addresses
// that are not public only loopback is allowed.
function refusalOf({ origin, protocol, hostname }: URL, origins: readonly string[]): FetchFailure | null {
  if ((protocol !== 'https:' && protocol !== 'http:') || !origins.includes(origin)) return 'origin_refused';
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) === 0 || isPublicAddress(literal) || isLoopbackAddress(literal)) return null;
  return 'address_refused';
}

function open(
  url: URL,
  { resolve }: Guard,
  signal: AbortSignal,
  connected: () => void,
): Promise<http.IncomingMessage> {
  return new Promise((settle, reject) => {
    const secure = url.protocol === 'https:';
    const options = { agent: false, signal, lookup: guardedLookup(resolve ?? resolveByMachine), headers };
    const request = secure ? https.request(url, options) : http.request(url, options);
    request.on('socket', (socket) => socket.once(secure ? 'secureConnect' : 'connect', connected));
    request.on('response', settle);
    request.on('error', reject);
    request.on('close', () => reject(new Stop('unreachable')));
    request.end();
  });
}

const headers = {
  accept: 'application/json',
  'accept-encoding': 'gzip',
  'user-agent': 'pulsebus',
};

const resolveByMachine: Resolve = (name) => dns.lookup(name, { all: true });

// A name with any address that is not public is rejected, because legitimate names have none.
function guardedLookup(resolve: Resolve): LookupFunction {
  return (name, { all }, callback) => {
    resolve(name).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address)))
          callback(new Stop('address_refused'), '');
        else if (all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error instanceof Error ? error : new Stop('unreachable'), ''),
    );
  };
}

async function take(response: http.IncomingMessage, guard: Guard): Promise<Fetched> {
  const refusal = refusalOfAnswer(response, guard.mostBytes);
  if (refusal !== null) {
    response.destroy();
    return failed(refusal, response);
  }
  let held = 0;
  const release = () => {
    guard.held.give(held);
    held = 0;
  };
  const chunks: Buffer[] = [];
  const gather = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      if (held + chunk.length > guard.mostBytes) throw new Stop('too_large');
      if (!guard.held.take(chunk.length)) throw new Stop('crowded');
      held += chunk.length;
      chunks.push(chunk);
    }
  };
  try {
    if (isGzip(response)) await pipeline(response, createGunzip(), gather);
    else await pipeline(response, gather);
    return { ok: true, body: Buffer.concat(chunks), release };
  } catch (error) {
    release();
    throw error instanceof Stop ? error : new Stop('cut_off');
  }
}

function refusalOfAnswer(response: http.IncomingMessage, mostBytes: number): FetchFailure | null {
  const { statusCode = 0, headers } = response;
  if (statusCode >= 300 && statusCode < 400) return 'redirected';
  if (statusCode !== 200) return 'status';
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(headers['content-type'] ?? '')) return 'not_json';
  if (!isGzip(response) && !/^(?:identity)?$/i.test(headers['content-encoding'] ?? '')) return 'not_json';
  return Number(headers['content-length'] ?? 0) > mostBytes ? 'too_large' : null;
}

function isGzip({ headers }: http.IncomingMessage): boolean {
  return /^(?:x-)?gzip$/i.test(headers['content-encoding'] ?? '');
}
