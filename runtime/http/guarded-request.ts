import { promises as dns, type LookupAddress } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/*
 * A request to an address of a stranger. The address is checked when the socket is opened, so that the connection uses
 * the checked address even if the name resolves differently later. Redirects are not followed. Time is bounded.
 */

/** The limits of one request. */
export interface RequestLimits {
  /** Timeout of name resolution, TCP and TLS. */
  readonly connectMs: number;
  /** Timeout of the whole request, to the last byte. */
  readonly totalMs: number;
  readonly signal: AbortSignal;
}

/** Returns all addresses of a name. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

/** A limit that ended a request. `unreachable`: no connection in time. `stopped`: the caller's signal. */
export type Limit = 'unreachable' | 'timed_out' | 'stopped';

/** What a request consists of, beside its URL. */
export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Keeps connections open. Default: one connection per request. */
  readonly agent?: http.Agent | https.Agent;
  readonly lookup?: LookupFunction;
}

/** The name of the host leads to an address that is not public. */
export class AddressRefused extends Error {}
/** The connection was established, but TLS was not. */
export class TlsFailed extends Error {}

/** The connection was established, and ended before the head of the answer. */
export class CutOff extends Error {}
/** The answer began with more interim answers (1xx) than any server sends. */
export class InterimFlood extends Error {}

/** The signal that ends a request, and the function that ends the timeout of its connection. */
export interface Running {
  readonly signal: AbortSignal;
  readonly connected: () => void;
}

/** Runs `work` within limits. After an error returns the value of `onError`, with the limit that caused it if one did. */
export async function withinLimits<T>(
  { connectMs, totalMs, signal }: RequestLimits,
  work: (running: Running) => Promise<T>,
  onError: (limit: Limit | null, error: unknown) => T,
): Promise<T> {
  const end = new AbortController();
  let limit: Limit | null = null;
  const stop = (reached: Limit) => {
    limit ??= reached;
    end.abort();
  };
  const connecting = setTimeout(stop, connectMs, 'unreachable');
  const whole = setTimeout(stop, totalMs, 'timed_out');
  const stopped = () => stop('stopped');
  signal.addEventListener('abort', stopped, { once: true });
  if (signal.aborted) stopped();
  try {
    return await work({ signal: end.signal, connected: () => clearTimeout(connecting) });
  } catch (error) {
    return onError(limit, error);
  } finally {
    clearTimeout(connecting);
    clearTimeout(whole);
    signal.removeEventListener('abort', stopped);
  }
}

/** Sends a request. Resolves with the head of the answer. @throws AddressRefused, TlsFailed, an error of the socket */
export async function send(url: URL, outgoing: Outgoing, running: Running): Promise<http.IncomingMessage> {
  const { agent, ...once } = outgoing;
  if (agent === undefined) return attempt(url, once, running).settled;
  const { request, settled } = attempt(url, outgoing, running);
  try {
    return await settled;
  } catch (error) {
    // The server may close a kept connection at the moment of its next use.
    if (!request.reusedSocket || running.signal.aborted) throw error;
    return attempt(url, once, running).settled;
  }
}

function attempt(url: URL, { method, headers, body, agent, lookup }: Outgoing, running: Running) {
  const isSecure = url.protocol === 'https:';
  const options = {
    method,
    headers,
    signal: running.signal,
    agent: agent ?? false,
    ...(lookup === undefined ? {} : { lookup }),
  };
  const request = isSecure ? https.request(url, options) : http.request(url, options);
  const settled = answerOf(request, isSecure, running.connected);
  request.end(body);
  return { request, settled };
}

type Phase = 'connecting' | 'negotiating' | 'established';

/** Interim answers (1xx) before the answer. Real servers send one or two. */
const mostInterim = 10;

function answerOf(
  request: http.ClientRequest,
  isSecure: boolean,
  connected: () => void,
): Promise<http.IncomingMessage> {
  return new Promise((settle, reject) => {
    let phase: Phase = 'connecting';
    let interim = 0;
    const established = () => {
      phase = 'established';
      connected();
    };
    request.on('socket', (socket) => {
      if (request.reusedSocket) return established();
      if (isSecure)
        socket.once('connect', () => {
          phase = 'negotiating';
        });
      socket.once(isSecure ? 'secureConnect' : 'connect', established);
    });
    const failed = (error: Error) => reject(errorIn(phase, error));
    request.on('information', () => {
      interim += 1;
      if (interim > mostInterim) request.destroy(new InterimFlood());
    });
    request.on('response', (response) => {
      connected();
      settle(response);
    });
    request.on('error', failed);
    request.on('close', () => failed(new Error('the connection was closed')));
  });
}

function errorIn(phase: Phase, error: Error): Error {
  if (phase === 'negotiating') return new TlsFailed();
  const isInvalid = 'code' in error && String(error.code).startsWith('HPE_');
  return phase === 'connecting' || isInvalid || error instanceof InterimFlood ? error : new CutOff();
}

/** The host of a URL if it is an address. It is never resolved, so `publicLookup` does not see it. */
export function literalAddressOf({ hostname }: URL): string | null {
  const literal = hostname.replace(/^\[|\]$/g, '');
  return isIP(literal) === 0 ? null : literal;
}

const resolveByMachine: Resolve = (name) => dns.lookup(name, { all: true });

/** A lookup that refuses a name with any address that is not public, because legitimate names have none. */
export function publicLookup(resolve: Resolve = resolveByMachine): LookupFunction {
  return (name, { all }, callback) => {
    resolve(name).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address)))
          callback(new AddressRefused(), '');
        else if (all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error instanceof Error ? error : new Error('the name was not resolved'), ''),
    );
  };
}
