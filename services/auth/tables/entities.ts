import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/**
 * An account that manages keys, applications and other accounts; `password` is a scrypt hash. It stands apart from the statements:
 * programs that read accounts without the ORM do not load it.
 */
export const Developer = defineEntity({
  name: 'Developer',
  schema: 'auth',
  tableName: 'developer',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    email: p.text(),
    password: p.text(),
    createdAt: p.datetime(3).name('created_at').defaultRaw('now()'),
    isOwner: p.boolean().name('is_owner').default(false),
    confirmedAt: p.datetime(3).name('confirmed_at').nullable(),
  },
});

export type Developer = InferEntity<typeof Developer>;
