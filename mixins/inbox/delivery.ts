import { createHash } from 'node:crypto';

/** A lease expires after this time without an extension. Another worker may then take the delivery over. */
export const leaseMs = 30_000;

/** A webhook request to store. `headers` contains a few relevant headers, never a credential. */
export interface NewDelivery {
  readonly provider: string;
  readonly kind: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The user of an upload, as `userSender`. */
  readonly sender?: string;
  /** Allows a worker of this process to take the body until `letGo`. The caller must not modify it. */
  readonly handOver?: boolean;
}

/** The right to work on a delivery until the lease ends. `attempt` fences writes of earlier holders. */
export interface Lease {
  readonly id: string;
  readonly kind: string;
  readonly attempt: number;
  /** How many leases expired in work. */
  readonly crashes: number;
  readonly received_ms: number;
  /** True if it is not the first attempt: users and connections may have changed since the delivery arrived. */
  readonly isRetry: boolean;
  readonly body_bytes: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The state of a delivery and its answer, partial or final. The answer is a JSON value that depends on the kind. */
export interface DeliveryState {
  readonly state: 'ready' | 'working' | 'done' | 'dead';
  readonly answer: unknown;
}

/** `reason` is a code, never a value of the body. `answer` is the partial answer so far. */
export interface Retry {
  readonly delayMs: number;
  readonly reason: string;
  readonly answer?: unknown;
}

/** The header under which a delivery keeps whether its Authorization header was `right` or `wrong`. */
export const authorizationHeader = 'pulsebus-authorization';

/** The header under which a delivery keeps whether the secret in its body was right (`BodySecretResult`). */
export const bodySecretHeader = 'pulsebus-body-secret';

/**
 * The sender of an upload of a user. It stays with the row for as long as the row is kept: a deleted user cannot be found
 * by a hash of the id.
 */
export const userSender = (userId: string) =>
  `address:user ${createHash('sha256').update(userId).digest('base64url')}`;
