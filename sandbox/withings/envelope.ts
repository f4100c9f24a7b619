import type { Reply } from '../server/http.ts';

/** A success: the status of the envelope is 0. */
export function envelope(body: unknown): Reply {
  return { status: 200, headers: { 'Cache-Control': 'no-store' }, json: { status: 0, body } };
}

/** An error. The HTTP status is 200. */
export function failure(status: number, error: string): Reply {
  return { status: 200, json: { status, body: {}, error } };
}
