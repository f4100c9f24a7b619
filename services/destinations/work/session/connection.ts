import type { LookupAddress } from 'node:dns';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';

/** The host of a target for a thread. Its addresses are checked, and nothing is resolved anew. */
export interface Host {
  /** A name or an address, which the certificate has. */
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly LookupAddress[];
  /** Timeout of TCP and TLS. */
  readonly connectMs: number;
  /** Timeout of a whole request. */
  readonly totalMs: number;
}

/** A connection to a target in its thread. Arguments and results of the functions are copied between the threads. */
export interface Connection {
  readonly functions: Readonly<Record<string, (...args: never[]) => unknown>>;
  close(): Promise<void>;
}

/** Sessions are ended with their thread, so that no signal has to end what runs in one. */
export const neverAborted = new AbortController().signal;

/** The bytes that the target may still send. */
let left = 0;

/** Lets the target send so many bytes from now on. */
export function allowBytes(bytes: number): void {
  left = Math.max(left, bytes);
}

/**
 * Counts what all sockets of this thread receive, before a library joins it. A socket that receives more than is allowed ends, and
 * its bytes reach nobody. A thread has one target at a time, so that this concerns no other one, and no library has to offer a place
 * for it: `nats` has none.
 */
export function limitReceivedBytes(onExcess: () => void): void {
  Socket.prototype.push = function push(this: Socket, chunk: Uint8Array | null, encoding?: BufferEncoding) {
    left -= chunk?.length ?? 0;
    if (left >= 0) return Readable.prototype.push.call(this, chunk, encoding);
    onExcess();
    this.destroy();
    return false;
  };
}
