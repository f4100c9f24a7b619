import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { z } from 'zod';

/** What a device and a browser make of a passkey in place of what is right. */
export interface Deviations {
  readonly origin?: string;
  readonly challenge?: string;
  readonly counter?: number;
  readonly isVerified?: boolean;
  readonly userHandle?: string;
  readonly rpId?: string;
}

interface Asked {
  readonly challenge: string;
  readonly host: string;
}

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest();
const base64 = (data: Buffer | string) => Buffer.from(data).toString('base64url');

// CBOR (RFC 8949): integers to 255, and byte and text strings to 255.
const head = (major: number, n: number) => Buffer.from(n < 24 ? [(major << 5) | n] : [(major << 5) | 24, n]);
const int = (n: number) => (n < 0 ? head(1, -1 - n) : head(0, n));
const bytes = (data: Buffer) => Buffer.concat([head(2, data.length), data]);
const text = (data: string) => Buffer.concat([head(3, data.length), Buffer.from(data)]);
const map = (...pairs: readonly Buffer[]) => Buffer.concat([head(5, pairs.length / 2), ...pairs]);

const present = 0x01;
const verified = 0x04;
const hasCredential = 0x40;

/** What a device reads of the options of a registration. */
export const Creation = z.object({
  challenge: z.string(),
  rp: z.object({ id: z.string() }),
  user: z.object({ id: z.string() }),
  excludeCredentials: z.array(z.object({ id: z.string() })),
});

/** The answer of a new device to options of a gateway on this machine. */
export const newPasskey = (options: unknown, gatewayUrl: string) =>
  softwarePasskey(gatewayUrl.replace('127.0.0.1', 'localhost')).create(Creation.parse(options));

/** A device in software with one passkey (ES256, attestation `none`), and the browser of an origin before it. */
export function softwarePasskey(origin: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = (value: string) => bytes(Buffer.from(value, 'base64url'));
  const key = map(
    ...[int(1), int(2), int(3), int(-7), int(-1), int(1)],
    int(-2),
    point(x),
    int(-3),
    point(y),
  );
  const id = randomBytes(32);
  const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key]);
  let userHandle = '';
  let counter = 0;

  const clientData = (type: string, { challenge }: Asked, other: Deviations) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...pick(other) }));
  const authData = ({ host }: Asked, flags: number, other: Deviations) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(other.counter ?? counter);
    const set = flags | present | (other.isVerified === false ? 0 : verified);
    return Buffer.concat([sha256(other.rpId ?? host), Buffer.from([set]), count]);
  };
  const named = { id: base64(id), rawId: base64(id), type: 'public-key', clientExtensionResults: {} };

  return {
    /** Answers options of a registration. */
    create(options: { challenge: string; rp: { id: string }; user: { id: string } }, other: Deviations = {}) {
      const asked = { challenge: options.challenge, host: options.rp.id };
      userHandle = options.user.id;
      const data = bytes255(Buffer.concat([authData(asked, hasCredential, other), credential]));
      const object = map(text('fmt'), text('none'), text('attStmt'), map(), text('authData'), data);
      const clientDataJSON = base64(clientData('webauthn.create', asked, other));
      const attestationObject = base64(object);
      return { ...named, response: { clientDataJSON, attestationObject, transports: ['internal'] } };
    },
    /** Answers options of a sign-in. */
    get(options: { challenge: string; rpId: string }, other: Deviations = {}) {
      const asked = { challenge: options.challenge, host: options.rpId };
      counter += 1;
      const data = authData(asked, 0, other);
      const client = clientData('webauthn.get', asked, other);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      const signed = { authenticatorData: base64(data), signature: base64(signature) };
      const handle = other.userHandle ?? userHandle;
      return { ...named, response: { clientDataJSON: base64(client), ...signed, userHandle: handle } };
    },
  };
}

const bytes255 = (data: Buffer) => {
  if (data.length > 255) throw new Error(`${data.length} bytes need a longer head`);
  return bytes(data);
};

const pick = ({ origin, challenge }: Deviations) => ({
  ...(origin === undefined ? {} : { origin }),
  ...(challenge === undefined ? {} : { challenge }),
});
