import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

/*
 * Requests and answers cross the bus as ciphertext. Each process makes an X25519 key pair at its start and publishes its public
 * key with its node. Two processes derive a key for each direction (HKDF-SHA-256) and seal with AES-256-GCM. The keys end
 * with the process, so a recording of the bus cannot be read later.
 *
 * A message: 0x01, the sender's public key (32 bytes), the nonce (12), the tag (16), the ciphertext.
 */

const sealedMark = 0x01;
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const nonceAt = 1 + keyBytes;
const tagAt = nonceAt + nonceBytes;
const headBytes = tagAt + tagBytes;
/** Pairs of keys that are kept; the oldest is derived again. */
export const mostPeers = 4096;

interface PeerKeys {
  readonly sending: Buffer;
  readonly receiving: Buffer;
}

/** A message that was sealed for this process. */
export interface Opened {
  readonly content: Buffer;
  /** The public key of its sender, for the answer. */
  readonly sender: string;
}

/** Seals messages for other processes and opens those for this one. */
export class Sealing {
  /** The public key of this process, base64url. */
  readonly publicKey: string;
  readonly #privateKey: KeyObject;
  readonly #ownKey: Buffer;
  readonly #peers = new Map<string, PeerKeys>();
  /** The first part of nonces differs between processes, the counter between messages. */
  readonly #noncePrefix = randomBytes(4);
  #sent = 0n;

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('x25519');
    this.#privateKey = privateKey;
    this.publicKey = publicKey.export({ format: 'jwk' }).x ?? '';
    this.#ownKey = Buffer.from(this.publicKey, 'base64url');
  }

  /** Of how many processes keys are kept. */
  get peers(): number {
    return this.#peers.size;
  }

  /** Seals for the process that has this public key. @throws if it is no key */
  seal(content: Buffer, receiver: string): Buffer {
    const { sending } = this.#keysOf(receiver);
    const nonce = this.#nextNonce();
    const cipher = createCipheriv('aes-256-gcm', sending, nonce);
    const sealed = [cipher.update(content), cipher.final()];
    return Buffer.concat([Buffer.of(sealedMark), this.#ownKey, nonce, cipher.getAuthTag(), ...sealed]);
  }

  /** @throws if the message is not sealed, was changed, or is for another process */
  open(message: Buffer): Opened {
    if (!isSealed(message) || message.length < headBytes) throw new Error('the message is not sealed');
    const sender = message.toString('base64url', 1, nonceAt);
    const { receiving } = this.#keysOf(sender);
    const decipher = createDecipheriv('aes-256-gcm', receiving, message.subarray(nonceAt, tagAt), {
      authTagLength: tagBytes,
    });
    decipher.setAuthTag(message.subarray(tagAt, headBytes));
    const content = Buffer.concat([decipher.update(message.subarray(headBytes)), decipher.final()]);
    return { content, sender };
  }

  #nextNonce(): Buffer {
    const nonce = Buffer.alloc(nonceBytes);
    this.#noncePrefix.copy(nonce);
    nonce.writeBigUInt64BE(this.#sent++, this.#noncePrefix.length);
    return nonce;
  }

  #keysOf(peer: string): PeerKeys {
    const known = this.#peers.get(peer);
    if (known !== undefined) return known;
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: peer }, format: 'jwk' });
    const secret = diffieHellman({ privateKey: this.#privateKey, publicKey });
    const keys = {
      sending: derived(secret, `${this.publicKey} to ${peer}`),
      receiving: derived(secret, `${peer} to ${this.publicKey}`),
    };
    for (const oldest of this.#peers.keys())
      if (this.#peers.size >= mostPeers) this.#peers.delete(oldest);
      else break;
    this.#peers.set(peer, keys);
    return keys;
  }
}

/** Whether a message is sealed: JSON begins with another byte. */
export function isSealed(message: Buffer): boolean {
  return message[0] === sealedMark;
}

function derived(secret: Buffer, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'pulsebus bus', info, keyBytes));
}
