import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import type { Poster } from '../../../runtime/http/guarded-post.ts';
import type { Receiver } from '../queries/claim-messages.ts';
import type { DeliveryPace } from './pace.ts';
import { signedHeaders } from './sign.ts';

/** The result of one attempt. `error` is null after 2xx, otherwise a code. */
export interface Attempt {
  readonly error: string | null;
  /** Null: no answer. */
  readonly status: number | null;
  readonly retryAfter: string | null;
  readonly durationMs: number;
  /** The beginning of the answer. */
  readonly answer: string | null;
}

/** Dependencies of an attempt. */
export interface AttemptDeps {
  readonly poster: Poster;
  readonly cipher: Pick<Cipher, 'decrypt'>;
  readonly pace: Pick<DeliveryPace, 'connectMs' | 'totalMs'>;
}

/** A message that is ready to be sent. */
export interface Ready {
  readonly id: string;
  readonly receiver: Receiver;
  readonly body: string;
}

/** Signs a message and sends it once. */
export async function sendOnce(
  { poster, cipher, pace }: AttemptDeps,
  { id, receiver, body }: Ready,
  signal: AbortSignal,
): Promise<Attempt> {
  const began = performance.now();
  const headers = signedHeaders(cipher, receiver, { id, at: new Date(), body });
  const limits = { ...pace, signal };
  const { failure, ...answered } = await poster.post(new URL(receiver.url), { headers, body }, limits);
  const durationMs = Math.round(performance.now() - began);
  return { ...answered, error: failure?.toUpperCase() ?? null, durationMs };
}

/** Codes of failures that say nothing about the endpoint. */
const ownErrors = ['DATA_UNAVAILABLE', 'NOT_SIGNED'];

/** Whether an attempt failed before the endpoint was involved. */
export function isOwnFailure(attempt: Attempt | null): boolean {
  return ownErrors.includes(attempt?.error ?? '');
}

/** An attempt that failed before anything was sent. */
export function unsent(error: string): Attempt {
  return { error, status: null, retryAfter: null, durationMs: 0, answer: null };
}
