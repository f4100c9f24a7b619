import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import {
  AddressRefused,
  type Limit,
  literalAddressOf,
  publicLookup,
  type RequestLimits,
  type Resolve,
  send,
  withinLimits,
} from './guarded-request.ts';
import { isLoopbackAddress, isPublicAddress } from './public-address.ts';

/**
 * Fetches JSON or a file from a URL of an untrusted sender. The origin must be on a list. The address is checked when the socket
 * is opened, so that the connection uses the checked address even if the name resolves differently later. Redirects are
 * not followed. Time and size are bounded, also of a decompressed body. Outcomes contain no part of the URL or the
 * body.
 */
export interface Guard extends RequestLimits {
  /** Allowed exact origins (`https://host[:port]`). One whose host is a loopback address is allowed as it is. */
  readonly origins: readonly string[];
  /** `any`: the media type is not checked. */
  readonly media: 'json' | 'any';
  readonly mostBytes: number;
  /** Bytes that all fetches of the process may hold together. */
  readonly held: ByteLimit;
  /** Resolves names. Default: the system resolver. */
  readonly resolve?: Resolve;
}

export type { Resolve } from './guarded-request.ts';

/** Why nothing was fetched. `crowded`: other fetches use the memory. */
export type FetchFailure =
  | Limit
  | 'origin_refused'
  | 'address_refused'
  | 'redirected'
  | 'status'
  | 'not_json'
  | 'too_large'
  | 'cut_off'
  | 'crowded';

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
  const headers = { ...commonHeaders, accept: accepted[guard.media] };
  const outgoing = { method: 'GET', headers, lookup: publicLookup(guard.resolve) } as const;
  return withinLimits(
    guard,
    async (running) => {
      const response = await send(url, outgoing, running);
      return take(response, guard);
    },
    (limit, error) => failed(limit ?? failureOf(error)),
  );
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

function failed(failure: FetchFailure, response?: IncomingMessage): Fetched {
  const status = response?.statusCode ?? null;
  return { ok: false, failure, status, retryAfter: response?.headers['retry-after'] ?? null };
}

function failureOf(error: unknown): FetchFailure {
  if (error instanceof AddressRefused) return 'address_refused';
  return error instanceof Stop ? error.failure : 'unreachable';
}

// A literal address is never resolved, so it is checked here. A listed one was configured by the operator. Of addresses
// that are not public only loopback is allowed.
function refusalOf(url: URL, origins: readonly string[]): FetchFailure | null {
  const { origin, protocol } = url;
  if ((protocol !== 'https:' && protocol !== 'http:') || !origins.includes(origin)) return 'origin_refused';
  const literal = literalAddressOf(url);
  if (literal === null || isPublicAddress(literal) || isLoopbackAddress(literal)) return null;
  return 'address_refused';
}

const accepted: Readonly<Record<Guard['media'], string>> = { json: 'application/json', any: '*/*' };

const commonHeaders = {
  'accept-encoding': 'gzip',
  'user-agent': 'pulsebus',
};

async function take(response: IncomingMessage, guard: Guard): Promise<Fetched> {
  const refusal = refusalOfAnswer(response, guard);
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

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

function refusalOfAnswer(response: IncomingMessage, { media, mostBytes }: Guard): FetchFailure | null {
  const { statusCode = 0, headers } = response;
  if (statusCode >= 300 && statusCode < 400) return 'redirected';
  if (statusCode !== 200) return 'status';
  if (media === 'json' && !jsonType.test(headers['content-type'] ?? '')) return 'not_json';
  if (!isGzip(response) && !/^(?:identity)?$/i.test(headers['content-encoding'] ?? '')) return 'not_json';
  return Number(headers['content-length'] ?? 0) > mostBytes ? 'too_large' : null;
}

function isGzip({ headers }: IncomingMessage): boolean {
  return /^(?:x-)?gzip$/i.test(headers['content-encoding'] ?? '');
}
