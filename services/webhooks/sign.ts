import { Webhook } from 'standardwebhooks';
import type { Cipher } from '../../mixins/cipher.ts';
import type { Receiver } from './queries/claim-messages.ts';

/** The headers of a message as Standard Webhooks 1.0 defines them: a signature per secret that is valid. */
export function signedHeaders(
  cipher: Pick<Cipher, 'decrypt'>,
  { endpoint_id, secret, former_secret }: Pick<Receiver, 'endpoint_id' | 'secret' | 'former_secret'>,
  { id, at, body }: { readonly id: string; readonly at: Date; readonly body: string },
): Record<string, string> {
  const secrets = former_secret === null ? [secret] : [secret, former_secret];
  const signatures = secrets.map((value) =>
    new Webhook(cipher.decrypt(value, endpoint_id)).sign(id, at, body),
  );
  return {
    'content-type': 'application/json',
    'user-agent': 'pulsebus',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}
