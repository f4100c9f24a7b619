import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';

/** The encrypted secrets of an endpoint. The former one is null unless it still signs. */
interface EndpointSecrets {
  readonly endpoint_id: string;
  readonly secret: string;
  readonly former_secret: string | null;
}

/** The headers of a message as Standard Webhooks 1.0 defines them: a signature per secret that is valid. */
export function signedHeaders(
  cipher: Pick<Cipher, 'decrypt'>,
  { endpoint_id, secret, former_secret }: EndpointSecrets,
  { id, at, body }: { readonly id: string; readonly at: Date; readonly body: string },
): Record<string, string> {
  const secrets = former_secret === null ? [secret] : [secret, former_secret];
  const signatures = secrets.map((value) => signerOf(cipher, value, endpoint_id).sign(id, at, body));
  return {
    'content-type': 'application/json',
    'user-agent': 'pulsebus',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}

const signers = new WeakMap<Pick<Cipher, 'decrypt'>, Map<string, Webhook>>();
/** Two secrets of each endpoint. */
const mostSigners = 100;

// A decryption takes as long as a signature, so the signers of recent secrets are kept.
function signerOf(cipher: Pick<Cipher, 'decrypt'>, value: string, endpointId: string): Webhook {
  const key = `${endpointId} ${value}`;
  const bySecret = signers.get(cipher) ?? new Map<string, Webhook>();
  signers.set(cipher, bySecret);
  const signer = bySecret.get(key) ?? new Webhook(cipher.decrypt(value, endpointId));
  if (bySecret.size >= mostSigners) bySecret.clear();
  bySecret.set(key, signer);
  return signer;
}

const secretBytes = 32;

/** A new secret of an endpoint, in the form of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`;
}
