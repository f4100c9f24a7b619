import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { type Assertion, type Attestation, algorithms } from '../../../contracts/auth/passkeys.ts';
import { fieldOf } from '../../../domain/error-code.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { parseJson } from '../../../domain/json/json-bounds.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { publicUrl } from '../../../runtime/provider-settings.ts';
import type { Linking } from '../links/links.ts';
import { type Credential, useChallenge } from '../queries/passkeys.ts';
import { sha256 } from '../tokens/secrets.ts';

const sentences = {
  challenge:
    'This request was begun elsewhere, is older than 5 minutes, or was answered before. Begin again.',
  origin: 'The passkey was used on a page that is not of this installation.',
  account: 'The passkey belongs to no account here, or to another one.',
  counter: 'The passkey was used elsewhere since: it may have been copied. Remove it.',
  verification: 'The device did not verify you. Set up its lock or the PIN of the key.',
  invalid: 'The answer of the passkey is not valid.',
} as const;

/** PASSKEY_REFUSED (403) with one sentence. */
export const passkeyRefused = (why: keyof typeof sentences, cause?: unknown) =>
  new ServiceError('PASSKEY_REFUSED', sentences[why], undefined, cause);

/** The host that passkeys are bound to, and the origin of the pages that may use them. */
export function relyingParty({ config, meta }: Linking): { readonly id: string; readonly origin: string } {
  const url = new URL(publicUrl(config, meta.gateway_url));
  // WebAuthn takes no IP address. The pages of a gateway on this machine are reached as localhost, too.
  if (['127.0.0.1', '[::1]'].includes(url.hostname)) url.hostname = 'localhost';
  return { id: url.hostname, origin: url.origin };
}

/** What identifies an account toward a device: it is stored there with the passkey. */
export const userHandleOf = (developerId: string) => Buffer.from(developerId).toString('base64url');

const ClientData = z.object({ challenge: z.string() });

/** The challenge that a device signed, which is used up. @throws PASSKEY_REFUSED (403) */
export async function takeChallenge(
  database: Queryable,
  { response: { clientDataJSON } }: Attestation | Assertion,
  session: string | null,
): Promise<string> {
  let challenge: string;
  try {
    challenge = ClientData.parse(parseJson(Buffer.from(clientDataJSON, 'base64url').toString())).challenge;
  } catch (error) {
    throw passkeyRefused('invalid', error);
  }
  if (!(await useChallenge(database, sha256(challenge), session))) throw passkeyRefused('challenge');
  return challenge;
}

/** The new passkey of a device. @throws PASSKEY_REFUSED (403) */
export async function verifyAttestation(
  linking: Linking,
  { id, response }: Attestation,
  challenge: string,
): Promise<Credential> {
  const { transports = [], clientDataJSON, attestationObject } = response;
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { registrationInfo } = await checking(() =>
    verifyRegistrationResponse({
      response: { ...envelope(id), response: { clientDataJSON, attestationObject } },
      ...expectedOf(linking, challenge),
      supportedAlgorithmIDs: [...algorithms],
    }),
  );
  if (registrationInfo === undefined) throw passkeyRefused('invalid');
  return { ...registrationInfo.credential, transports };
}

/** The counter of an answer that proves a passkey and the presence of its holder. @throws PASSKEY_REFUSED (403) */
export async function verifyAssertion(
  linking: Linking,
  { id, response }: Assertion,
  { challenge, credential }: { readonly challenge: string; readonly credential: Credential },
): Promise<number> {
  const { clientDataJSON, authenticatorData, signature } = response;
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { verified, authenticationInfo } = await checking(() =>
    verifyAuthenticationResponse({
      response: { ...envelope(id), response: { clientDataJSON, authenticatorData, signature } },
      ...expectedOf(linking, challenge),
      credential,
    }),
  );
  if (!verified) throw passkeyRefused('invalid');
  return authenticationInfo.newCounter;
}

const envelope = (id: string): Omit<AuthenticationResponseJSON, 'response'> => ({
  ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
});

function expectedOf(linking: Linking, challenge: string) {
  const { id: expectedRPID, origin: expectedOrigin } = relyingParty(linking);
  return { expectedChallenge: challenge, expectedOrigin, expectedRPID, requireUserVerification: true };
}

// The library has no codes of errors. What a message quotes of the answer stands behind these words.
const reasons = [
  [/^Unexpected (\w+ response origin|RP ID hash)/, 'origin'],
  [/^Response counter value/, 'counter'],
  [/^User (verification|not present)/, 'verification'],
] as const;

async function checking<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (error) {
    const message = String(fieldOf(error, 'message'));
    throw passkeyRefused(reasons.find(([words]) => words.test(message))?.[1] ?? 'invalid', error);
  }
}
