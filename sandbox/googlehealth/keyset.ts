import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { HealthWorld, SigningKey } from './state.ts';
import { newKey } from './state.ts';

const mostKeys = 2;

/** Signs from now on with a new key. The former one stays published until the next rotation. */
export function rotateKeys({ own, store }: HealthWorld): void {
  own.googlehealth_keys = [newKey(), ...own.googlehealth_keys].slice(0, mostKeys);
  store.save();
}

/** The published keyset, in the form of Tink. */
export function keysetOf({ own }: HealthWorld): object {
  const [primary] = own.googlehealth_keys;
  return {
    primaryKeyId: primary?.id,
    key: own.googlehealth_keys.map((key) => ({
      keyData: {
        typeUrl: 'type.googleapis.com/google.crypto.tink.EcdsaPublicKey',
        value: publicKeyOf(key).toString('base64'),
        keyMaterialType: 'ASYMMETRIC_PUBLIC',
      },
      status: 'ENABLED',
      keyId: key.id,
      outputPrefixType: 'TINK',
    })),
  };
}

// EcdsaPublicKey in protobuf: params (2) and the point (3, 4), with a leading zero byte each.
function publicKeyOf({ pem }: SigningKey): Buffer {
  const { x = '', y = '' } = createPublicKey(pem).export({ format: 'jwk' });
  const params = Buffer.from([0x08, 0x03, 0x10, 0x02, 0x18, 0x02]);
  return Buffer.concat([field(2, params), field(3, number(x)), field(4, number(y))]);
}

const number = (text: string) => Buffer.concat([Buffer.alloc(1), Buffer.from(text, 'base64url')]);
const field = (id: number, value: Buffer) => Buffer.concat([Buffer.from([id * 8 + 2, value.length]), value]);

/** The signature of a body by the newest key. */
export function signatureOf({ own }: HealthWorld, body: string): string {
  const [key] = own.googlehealth_keys;
  if (key === undefined) throw new Error('there is no key');
  const head = Buffer.alloc(5);
  head.writeUInt8(1);
  head.writeUInt32BE(key.id, 1);
  const der = sign('sha256', Buffer.from(body), { key: createPrivateKey(key.pem), dsaEncoding: 'der' });
  return Buffer.concat([head, der]).toString('base64');
}
