import { createHmac, timingSafeEqual } from 'node:crypto';

/** How far a signature's time may be from the time at which its event came. */
export const toleranceSeconds = 300;

/** What a signature is checked with. */
export interface SignatureCheck {
  readonly header: string | undefined;
  readonly body: Buffer;
  readonly receivedMs: number;
  readonly secret: string | undefined;
  /** An event without a signature is refused. */
  readonly required: boolean;
}

/** What is wrong with a signature, as it is counted. */
export type SignatureProblem =
  | 'SIGNATURE_MISSING'
  | 'SIGNATURE_UNCHECKED'
  | 'SIGNATURE_INVALID'
  | 'SIGNATURE_STALE';

/**
 * Why an event is not believed, as a reason that is counted; null where it is. Without a signature, or without a
 * secret to check it with, it is believed unless one is required.
 */
export function signatureProblem(check: SignatureCheck): SignatureProblem | null {
  const { header, secret, required, body, receivedMs } = check;
  if (header === undefined) return required ? 'SIGNATURE_MISSING' : null;
  if (secret === undefined) return required ? 'SIGNATURE_UNCHECKED' : null;
  const { time, digests } = read(header);
  if (time === null || digests.length === 0) return 'SIGNATURE_INVALID';
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  if (!digests.some((digest) => timingSafeEqual(digest, expected))) return 'SIGNATURE_INVALID';
  return Math.abs(receivedMs / 1000 - Number(time)) > toleranceSeconds ? 'SIGNATURE_STALE' : null;
}

/** Whether an event has a signature that proves its sender; events without one may be accepted all the same. */
export function isSigned(check: SignatureCheck): boolean {
  const isCheckable = check.header !== undefined && check.secret !== undefined;
  return isCheckable && signatureProblem(check) === null;
}

// `t=<unix>,v1=<hex>`, in any order; while a secret is changed a sender may send several of v1.
function read(header: string): { time: string | null; digests: Buffer[] } {
  const pairs = header.split(',', 10).map((part) => part.trim().split('=', 2));
  const time = pairs.find(([name]) => name === 't')?.[1] ?? '';
  const digests = pairs.flatMap(([name, value = '']) =>
    name === 'v1' && /^[0-9a-f]{64}$/i.test(value) ? [Buffer.from(value, 'hex')] : [],
  );
  return { time: /^\d{1,11}$/.test(time) ? time : null, digests };
}
