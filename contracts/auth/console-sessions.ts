import { z } from 'zod';
import { action, Nothing } from '../../domain/contract.ts';
import { Text, Timestamp } from '../../domain/wire.ts';
import { Assertion, PasskeyOptions } from './passkeys.ts';
import { Developer, hashingTimeoutMs, SecretHash } from './schemas.ts';
import { Code } from './second-factor.ts';

/** The time-out of actions that ask the identity provider: four requests of 5 s at most. */
const providerTimeoutMs = 25_000;

/**
 * Sessions of the console. The gateway makes their secrets and passes only the SHA-256 in hex, so that no secret is sent over
 * the bus.
 */
export const consoleSessionActions = {
  startSession: action({
    summary: 'Start a session of the console with a password',
    params: z.object({
      email: Text.max(320),
      password: z.string().max(1024),
      code: Code.optional(),
      session_hash: SecretHash,
    }),
    returns: Developer,
    timeoutMs: hashingTimeoutMs,
  }),
  startSessionByLink: action({
    summary: 'Start a session of the console with a sign-in link, which is valid once',
    params: z.object({ link_hash: SecretHash, session_hash: SecretHash }),
    returns: Developer,
  }),
  beginOidc: action({
    summary: 'Begin a sign-in with the provider of OIDC_ISSUER',
    params: z.object({ redirect_uri: z.url() }),
    returns: z.object({ url: z.string(), flow: z.string() }),
    timeoutMs: providerTimeoutMs,
  }),
  startSessionByOidc: action({
    summary: 'Start a session of the console at the end of a sign-in with the provider',
    params: z.object({
      query: z.string().max(8192),
      flow: z.string().max(4096).nullable(),
      session_hash: SecretHash,
    }),
    returns: Developer,
    timeoutMs: providerTimeoutMs,
  }),
  beginPasskeySignIn: action({
    summary: 'Begin a sign-in with a passkey',
    params: Nothing,
    returns: PasskeyOptions,
  }),
  startSessionByPasskey: action({
    summary: 'Start a session of the console with a passkey',
    params: z.object({
      credential: Assertion,
      challenge: z.string().max(100).nullable(),
      session_hash: SecretHash,
    }),
    returns: Developer,
  }),
  endSession: action({
    summary: 'End a session of the console',
    params: z.object({ session_hash: SecretHash }),
    returns: Nothing,
    idempotent: true,
  }),
  createSignInLink: action({
    summary: 'Create a link that signs a developer in once',
    params: z.object({ email: Text.max(320), link_hash: SecretHash }),
    returns: z.object({ expires_at: Timestamp }),
  }),
};
