import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { Text, Timestamp, UserId } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';
import { Scope } from '../fields.ts';

/** What a provider reports about accounts, for the ingest services. */
export const providerEventActions = {
  /**
   * Active connections of provider accounts, for the ingest services; several users may share an account. With `hold`,
   * `delivery` is kept for accounts whose ending is unconfirmed: it is replayed if the ending turns out to be untrue.
   * Items of accounts whose data was erased are taken out of it.
   */
  resolve: action({
    summary: 'Find the users behind provider accounts',
    params: z.object({
      provider: ProviderName,
      provider_user_ids: z.array(Text.max(255)).max(1000),
      delivery: z
        .object({ id: z.uuid(), authenticated: z.boolean(), hold: z.boolean().default(true) })
        .optional(),
    }),
    returns: z.array(
      z.object({
        connection_id: z.string(),
        user_id: z.string(),
        provider_user_id: z.string(),
        connected_at: Timestamp,
      }),
    ),
    idempotent: true,
  }),
  /**
   * The provider reported that the owner of an account ended our access. Authenticated, it is final. Otherwise the
   * connection is revoked and keeps its tokens until a read at the provider confirms or contradicts the report
   * (`revoked`), or, where too many such reports came, nothing changes before that read (`checked_first`).
   * `outdated`: the provider has confirmed our access since the report came. Nothing is revoked at the provider.
   */
  endByEvent: action({
    summary: 'End a connection as its provider reported',
    params: z.object({
      connection_id: z.uuid(),
      user_id: UserId,
      authenticated: z.boolean(),
      received_ms: z.int(),
    }),
    returns: z.object({ outcome: z.enum(['revoked', 'checked_first', 'outdated', 'gone']) }),
  }),
  /** A delivery stored data of these connections: `last_synced_at` becomes now. */
  synced: action({
    summary: 'Note that connections received data',
    params: z.object({ connection_ids: z.array(z.uuid()).max(1000) }),
    returns: z.object({ updated: z.int() }),
    idempotent: true,
  }),
  /**
   * The owners of accounts changed what we may read; an older change never overwrites a newer one. Changes that nobody
   * authenticated are followed by a read of the permissions at the provider, which decides.
   */
  changeScopes: action({
    summary: 'Change what connections may read',
    params: z.object({
      changes: z.array(z.object({ connection_id: z.uuid(), scope: Scope, changed_ms: z.int() })).max(1000),
      authenticated: z.boolean().default(true),
    }),
    returns: z.object({ updated: z.int() }),
    idempotent: true,
  }),
  /** The owner of an account changed settings of their privacy; an older change never overwrites a newer one. */
  changePrivacy: action({
    summary: 'Keep what the owner of an account said of their privacy',
    params: z.object({
      connection_id: z.uuid(),
      privacy: z.record(Text.max(100), Text.max(500)),
      changed_ms: z.int(),
    }),
    returns: z.object({ updated: z.boolean() }),
    idempotent: true,
  }),
};
