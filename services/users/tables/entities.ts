import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { providerNames } from '../../../providers/all.ts';

const id = () => p.uuid().primary().defaultRaw('gen_random_uuid()');
const time = (column: string) => p.datetime(3).name(column);

/** A user. After a deletion the empty row remains until all data in other services is erased. */
export const UserRow = defineEntity({
  name: 'UserRow',
  schema: 'users',
  tableName: 'person',
  properties: {
    id: id(),
    createdAt: time('created_at').defaultRaw('now()'),
    firstName: p.text().name('first_name').nullable(),
    lastName: p.text().name('last_name').nullable(),
    email: p.text().nullable(),
    externalUserId: p.text().name('external_user_id').nullable(),
    timeZone: p.text().name('time_zone').nullable(),
    deletedAt: time('deleted_at').nullable(),
  },
});

/** The link between a user and an account at a provider; both tokens are ciphertext bound to the id. */
export const Connection = defineEntity({
  name: 'Connection',
  schema: 'users',
  tableName: 'connection',
  properties: {
    id: id(),
    userId: p.uuid().name('user_id'),
    provider: p.enum([...providerNames]),
    providerUserId: p.text().name('provider_user_id'),
    region: p.text().nullable(),
    status: p.enum(['active', 'revoked', 'expired']),
    scope: p.array(),
    accessToken: p.text().name('access_token').nullable(),
    refreshToken: p.text().name('refresh_token').nullable(),
    expiresAt: time('expires_at').nullable(),
    createdAt: time('created_at').defaultRaw('now()'),
    updatedAt: time('updated_at').defaultRaw('now()'),
    connectedAt: time('connected_at').defaultRaw('now()'),
    lastSyncedAt: time('last_synced_at').nullable(),
    privacy: p.json<Readonly<Record<string, string>>>().nullable(),
  },
});

export type UserRow = InferEntity<typeof UserRow>;
export type Connection = InferEntity<typeof Connection>;
