import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

const id = () => p.uuid().primary().defaultRaw('gen_random_uuid()');
const createdAt = () => p.datetime(3).name('created_at').defaultRaw('now()');

/** An account that manages keys, applications and other accounts; `password` is a scrypt hash. */
export const Developer = defineEntity({
  name: 'Developer',
  schema: 'auth',
  tableName: 'developer',
  properties: {
    id: id(),
    email: p.text(),
    password: p.text(),
    createdAt: createdAt(),
    isOwner: p.boolean().name('is_owner').default(false),
    confirmedAt: p.datetime(3).name('confirmed_at').nullable(),
  },
});

/** An API key; `hash` is the SHA-256 of its text, which is not stored. */
export const ApiKey = defineEntity({
  name: 'ApiKey',
  schema: 'auth',
  tableName: 'api_key',
  properties: {
    id: id(),
    hash: p.text(),
    projectId: p.text().name('project_id'),
    name: p.text(),
    scopes: p.array().nullable(),
    expiresAt: p.datetime(3).name('expires_at').nullable(),
    addresses: p.array().nullable(),
    createdBy: p.uuid().name('created_by'),
    createdAt: createdAt(),
    lastUsedAt: p.datetime(3).name('last_used_at').nullable(),
  },
});

/** An application that obtains tokens for its users; `secretHash` is the SHA-256 of its secret. */
export const Application = defineEntity({
  name: 'Application',
  schema: 'auth',
  tableName: 'application',
  properties: {
    id: id(),
    appId: p.text().name('app_id'),
    projectId: p.text().name('project_id'),
    secretHash: p.text().name('secret_hash'),
    name: p.text(),
    createdAt: createdAt(),
  },
});

export type Developer = InferEntity<typeof Developer>;
export type ApiKey = InferEntity<typeof ApiKey>;
export type Application = InferEntity<typeof Application>;
