import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { Text, Timestamp, UserId } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';
import { Scope } from '../fields.ts';

/** Look-up of accounts and changes that a provider reports, for the ingest services. */
export const providerEventActions = {
  /**
   * Returns the active connections of provider accounts; several users may share an account. Items of erased accounts are
   * removed from the delivery.
   */
  resolve: action({
    summary: 'Find the users behind provider accounts',
    params: z.object({
      provider: ProviderName,
      provider_user_ids: z.array(Text.max(255)).max(1000),
      delivery_id: z.uuid().optional(),
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
  /** Active connections of a provider with an id above `after`, in the order of their ids. */
  activeConnections: action({
    summary: 'List the active connections of a provider',
    params: z.object({
      provider: ProviderName,
      after: z.uuid().nullable(),
      limit: z.int().min(1).max(1000),
    }),
    returns: z.array(
      z.object({
        connection_id: z.string(),
        user_id: z.string(),
        connected_at: Timestamp,
        project_id: z.string(),
      }),
    ),
    idempotent: true,
  }),
  /**
   * The provider reported that a user ended our access to an account. Returns false if it had ended before. The provider's
   * own revocation is never called.
   */
  endByEvent: action({
    summary: 'End a connection as its provider reported',
    params: z.object({ connection_id: z.uuid(), user_id: UserId }),
    returns: z.object({ revoked: z.boolean() }),
  }),
  /** Sets `last_synced_at` of connections whose data a delivery stored. */
  synced: action({
    summary: 'Record that connections received data',
    params: z.object({ connection_ids: z.array(z.uuid()).max(1000) }),
    returns: z.object({ updated: z.int() }),
    idempotent: true,
  }),
  /** Users changed the permissions of accounts at the provider. An older change never overwrites a newer one. */
  changeScopes: action({
    summary: 'Change the permissions of connections',
    params: z.object({
      changes: z.array(z.object({ connection_id: z.uuid(), scope: Scope, changed_ms: z.int() })).max(1000),
    }),
    returns: z.object({ updated: z.int() }),
    idempotent: true,
  }),
  /** A user changed privacy settings at the provider. An older change never overwrites a newer one. */
  changePrivacy: action({
    summary: "Store a user's privacy settings at the provider",
    params: z.object({
      connection_id: z.uuid(),
      privacy: z.record(Text.max(100), Text.max(500)),
      changed_ms: z.int(),
    }),
    returns: z.object({ updated: z.boolean() }),
    idempotent: true,
  }),
};
