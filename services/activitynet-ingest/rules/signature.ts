import { createHmac, timingSafeEqual } from 'node:crypto';
import type { activitynetIngest } from '../../../contracts/activitynet-ingest.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { isSameSecret } from '../../../domain/same-secret.ts';

/** Maximum difference between a signature's time and the time at which its event arrived. */
const toleranceSeconds = 300;

/** Input of the signature check. */
interface SignatureCheck {
  readonly header: string | undefined;
  readonly body: Buffer;
  readonly receivedMs: number;
  readonly secret: string | undefined;
  /** Rejects events without a signature. */
  readonly required: boolean;
}

/** The problem of a signature, as counted. */
type SignatureProblem = 'SIGNATURE_MISSING' | 'SIGNATURE_UNCHECKED' | 'SIGNATURE_INVALID' | 'SIGNATURE_STALE';

/**
 * Why an event is rejected, as a reason that is counted. Null if it is accepted. An event without a signature, or with
 * one that cannot be checked because no secret is set, is accepted unless signatures are required.
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

// Format: `t=<unix>,v1=<hex>`, in any order. During a rotation of the secret a sender may send several `v1`.
function read(header: string): { time: string | null; digests: Buffer[] } {
  const pairs = header.split(',', 10).map((part) => part.trim().split('=', 2));
  const time = pairs.find(([name]) => name === 't')?.[1] ?? '';
  const digests = pairs.flatMap(([name, value = '']) =>
    name === 'v1' && /^[0-9a-f]{64}$/i.test(value) ? [Buffer.from(value, 'hex')] : [],
  );
  return { time: /^\d{1,11}$/.test(time) ? time : null, digests };
}

/**
 * Returns the challenge if the verify token is right. @throws VERIFY_TOKEN_INVALID (403), also if no token is
 * configured
 */
export function verifySubscription(
  check: ParamsOf<typeof activitynetIngest, 'verify'>,
  expected: string | undefined,
): { 'hub.challenge': string } {
  if (expected === undefined || !isSameSecret(check['hub.verify_token'], expected))
    throw new ServiceError('VERIFY_TOKEN_INVALID');
  return { 'hub.challenge': check['hub.challenge'] };
}
