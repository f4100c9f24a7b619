import { z } from 'zod';
import { action, Nothing } from '../../domain/contract.ts';
import { Text, Timestamp } from '../../domain/wire.ts';
import { hashingTimeoutMs } from './schemas.ts';
import { AccountProof, hasProof, proofFields, proofMissing } from './second-factor.ts';

/** A passkey of a developer. */
export const Passkey = z
  .object({
    id: z.string(),
    name: z.string(),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable().describe('When it last signed in. Null: never.'),
  })
  .meta({ id: 'Passkey', description: 'A key on a device of a developer that signs in to the console.' });

/** The algorithms of passkeys, by their COSE numbers: EdDSA, ES256, RS256. */
export const algorithms = [-8, -7, -257] as const;

const publicKey = z.literal('public-key');

/** What `navigator.credentials.create` takes. */
export const NewPasskeyOptions = z
  .object({
    challenge: z.string(),
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: publicKey, alg: z.int() })),
    excludeCredentials: z.array(z.object({ type: publicKey, id: z.string() })),
    authenticatorSelection: z.object({
      residentKey: z.literal('required'),
      userVerification: z.literal('required'),
    }),
  })
  .meta({
    id: 'NewPasskeyOptions',
    description:
      'The options of `navigator.credentials.create` as JSON (PublicKeyCredentialCreationOptionsJSON).',
  });

/** What `navigator.credentials.get` takes, besides that the device has to verify its holder. */
export const PasskeyOptions = z.object({ challenge: z.string(), rpId: z.string() });

const Base64Url = z
  .string()
  .max(20_000)
  .regex(/^[\w-]+$/, 'must be base64url');
const CredentialId = Base64Url.max(1400);

/** The new passkey of a browser, as `toJSON()` of a PublicKeyCredential gives it. */
export const Attestation = z.looseObject({
  id: CredentialId,
  response: z.looseObject({
    clientDataJSON: Base64Url,
    attestationObject: Base64Url,
    transports: z.array(z.string().max(32)).max(10).optional(),
  }),
});

/** The answer of a passkey, as `toJSON()` of a PublicKeyCredential gives it. */
export const Assertion = z.looseObject({
  id: CredentialId,
  response: z.looseObject({
    clientDataJSON: Base64Url,
    authenticatorData: Base64Url,
    signature: Base64Url,
    userHandle: Base64Url.optional(),
  }),
});

const tag = 'Accounts';
const path = '/auth/passkeys';

/** Passkeys of the caller's account. The console signs in with them. */
export const passkeyActions = {
  listPasskeys: action({
    summary: 'List your passkeys',
    params: Nothing,
    returns: z.array(Passkey),
    http: { method: 'GET', path, access: 'account', tag },
  }),
  beginPasskey: action({
    summary: 'Begin to add a passkey, with the password or a code in the body',
    description:
      'A page of this installation passes the response to `navigator.credentials.create`, and sends the credential within 5 minutes to `POST /auth/passkeys/confirm`.',
    params: AccountProof,
    returns: NewPasskeyOptions,
    http: {
      method: 'POST',
      path,
      access: 'account',
      tag,
      audit: { none: 'A challenge has no effect until a passkey answers it.' },
      failures: ['PASSWORDS_OFF'],
    },
    timeoutMs: hashingTimeoutMs,
  }),
  confirmPasskey: action({
    summary: 'Add the passkey that the browser made',
    description:
      'The console signs in with it, which counts as password and second factor. A log-in with the password alone is refused from now on. An account has at most 20 passkeys.',
    params: z
      .object({
        name: Text.trim()
          .min(1)
          .max(100)
          .meta({ description: 'What you call the device.', example: 'Laptop' }),
        credential: Attestation.meta({
          description: 'The credential as JSON (RegistrationResponseJSON).',
          example: { id: 'AAAA', response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' } },
        }),
      })
      .meta({ id: 'ConfirmPasskeyRequest' }),
    returns: Passkey,
    http: {
      method: 'POST',
      path: '/auth/passkeys/confirm',
      access: 'account',
      status: 201,
      tag,
      audit: 'passkey.added',
      failures: ['PASSWORDS_OFF', 'PASSKEY_REFUSED', 'PASSKEY_EXISTS'],
    },
  }),
  removePasskey: action({
    summary: 'Remove a passkey, with the password or a code in the body',
    description: 'Your other sessions end.',
    params: z
      .object({
        passkey_id: z.uuid('must be a UUID').describe('The `id` of a passkey.'),
        ...proofFields,
      })
      .refine(hasProof, proofMissing)
      .meta({ id: 'AccountProof' }),
    returns: Passkey,
    http: {
      method: 'DELETE',
      path: '/auth/passkeys/:passkey_id',
      access: 'account',
      tag,
      bodyOfDelete: true,
      audit: 'passkey.removed',
      failures: ['PASSKEY_NOT_FOUND'],
    },
    timeoutMs: hashingTimeoutMs,
  }),
};

export type Passkey = z.infer<typeof Passkey>;
export type NewPasskeyOptions = z.infer<typeof NewPasskeyOptions>;
export type PasskeyOptions = z.infer<typeof PasskeyOptions>;
export type Attestation = z.infer<typeof Attestation>;
export type Assertion = z.infer<typeof Assertion>;
