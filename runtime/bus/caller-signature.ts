import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/*
 * The gateway signs requests of privileged actions (Ed25519). The signature covers the whole packet (action, parameters,
 * caller, request id), the process that it is sent to, and an expiry. A signature is accepted once: its process remembers
 * it until it has expired, and another process, or the same one after a restart, has another public key.
 *
 * A signed content: 0x02, the expiry (8 bytes, ms), the signature (64), the packet as JSON.
 */

const signedMark = 0x02;
const signatureBytes = 64;
const headBytes = 1 + 8 + signatureBytes;
/** Also the difference of clocks between two machines that is tolerated. */
const lifetimeMs = 30_000;
const privateHead = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicHead = Buffer.from('302a300506032b6570032100', 'hex');

/** A private key from its 32 bytes in hex (CALLER_KEY). */
export function callerKey(hex: string): KeyObject {
  return createPrivateKey({
    key: Buffer.concat([privateHead, Buffer.from(hex, 'hex')]),
    format: 'der',
    type: 'pkcs8',
  });
}

/** The public half of a private key, 32 bytes in hex (CALLER_PUBLIC_KEY). */
export function callerPublicKey(hex: string): string {
  const whole = createPublicKey(callerKey(hex)).export({ format: 'der', type: 'spki' });
  return whole.subarray(publicHead.length).toString('hex');
}

function publicKeyOf(hex: string): KeyObject {
  return createPublicKey({
    key: Buffer.concat([publicHead, Buffer.from(hex, 'hex')]),
    format: 'der',
    type: 'spki',
  });
}

/** Signs a packet for the process with this public key of the bus. */
export function signPacket(packet: Buffer, receiver: string, key: KeyObject, nowMs: number): Buffer {
  const expiry = Buffer.alloc(8);
  expiry.writeBigUInt64BE(BigInt(nowMs + lifetimeMs));
  const signature = sign(null, signedText(expiry, receiver, packet), key);
  return Buffer.concat([Buffer.of(signedMark), expiry, signature, packet]);
}

/** A content without its signature, and whether a known key signed it for this process, for the first time. */
export interface Verified {
  readonly packet: Buffer;
  readonly isVerified: boolean;
}

/** Verifies signatures for one process. */
export class CallerVerifier {
  readonly #keys: readonly KeyObject[];
  /** Accepted signatures with their expiry, oldest first. */
  readonly #accepted = new Map<string, number>();

  /** Any of the keys may sign. Without a key no privileged action requires a signature. */
  constructor(publicKeys: readonly string[]) {
    this.#keys = publicKeys.map(publicKeyOf);
  }

  /** Whether privileged actions require a signature. */
  get isRequired(): boolean {
    return this.#keys.length > 0;
  }

  /** How many accepted signatures are remembered. */
  get remembered(): number {
    return this.#accepted.size;
  }

  read(content: Buffer, receiver: string, nowMs: number): Verified {
    if (content[0] !== signedMark || content.length < headBytes)
      return { packet: content, isVerified: false };
    const expiry = content.subarray(1, 9);
    const signature = content.subarray(9, headBytes);
    const packet = content.subarray(headBytes);
    const text = signedText(expiry, receiver, packet);
    const expiresMs = Number(expiry.readBigUInt64BE());
    const isTimely = expiresMs > nowMs && expiresMs <= nowMs + 2 * lifetimeMs;
    const isSigned = isTimely && this.#keys.some((key) => verify(null, text, key, signature));
    return { packet, isVerified: isSigned && this.#isFirst(signature, expiresMs, nowMs) };
  }

  #isFirst(signature: Buffer, expiresMs: number, nowMs: number): boolean {
    for (const [oldest, until] of this.#accepted)
      if (until < nowMs) this.#accepted.delete(oldest);
      else break;
    const id = signature.toString('base64');
    if (this.#accepted.has(id)) return false;
    this.#accepted.set(id, expiresMs);
    return true;
  }
}

function signedText(expiry: Buffer, receiver: string, packet: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`pulsebus caller ${receiver} `), expiry, packet]);
}
