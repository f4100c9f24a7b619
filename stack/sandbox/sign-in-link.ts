import { createHash, randomBytes } from 'node:crypto';
import type { ServiceBroker } from 'moleculer';
import { typedCall } from '../../runtime/environment.ts';

/**
 * An address of the console that signs an account in once. The token is behind the #, so that no server, log or Referer
 * receives it. Null if the service auth does not run.
 */
export async function signInLink(broker: ServiceBroker, url: string, email: string): Promise<string | null> {
  const token = randomBytes(32).toString('base64url');
  const link_hash = createHash('sha256').update(token).digest('hex');
  try {
    await typedCall(broker)('auth.createSignInLink', { email, link_hash });
    return `${url}/console/sign-in#${token}`;
  } catch {
    return null;
  }
}
