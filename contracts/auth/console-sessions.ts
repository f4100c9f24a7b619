import { z } from 'zod';
import { action, Nothing } from '../../domain/contract.ts';
import { Text, Timestamp } from '../../domain/wire.ts';
import { Developer, hashingTimeoutMs, SecretHash } from './schemas.ts';
import { Code } from './second-factor.ts';

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
