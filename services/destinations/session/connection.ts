import type { LookupAddress } from 'node:dns';

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
