import { z } from 'zod';
import { action } from '../domain/contract.ts';
import { UserId } from '../domain/wire.ts';
import { ProviderName } from '../providers/all.ts';

// Actions that are called on events of a user or a connection (runtime/lifecycle.ts), which reads no answer.
const handler = { returns: z.unknown(), idempotent: true } as const;

/** Erases what a service has of a deleted user. */
export const onUserErased = (summary: string) =>
  action({ ...handler, summary, params: z.object({ user_id: UserId }), on: ['userErased'] });

/** Ends what a service does for a connection that ended, one of these providers. */
export const onConnectionEnded = (summary: string, providers: readonly string[]) =>
  action({
    ...handler,
    summary,
    params: z.object({ connection_id: z.uuid() }),
    on: ['connectionEnded'],
    providers,
  });

/** Erases what a service has of a user who is purged of one of these providers. */
export const onConnectionPurged = (summary: string, providers: readonly string[]) =>
  action({
    ...handler,
    summary,
    params: z.object({ user_id: UserId, provider: ProviderName, version: z.int() }),
    on: ['connectionPurged'],
    providers,
  });
