import { generateKeyPairSync, randomInt } from 'node:crypto';
import { z } from 'zod';
import { Client, Garbage, Grant, newClient, secret } from '../server/store.ts';
import type { World } from '../simulation/world.ts';

const Account = z.object({
  health_user_id: z.string(),
  /** The index of the user. */
  person: z.int(),
  authorized: z.boolean(),
  grants: z.array(Grant),
  live_ms: z.number(),
  /** Points that the user deleted, and factors of those that the user changed, by their ids. */
  deleted: z.array(z.string()),
  changed: z.record(z.string(), z.number()),
});
/** An account, with what its user changed. */
export type HealthAccount = z.infer<typeof Account>;

const SigningKey = z.object({ id: z.int(), pem: z.string() });
/** A key that signs notifications. */
export type SigningKey = z.infer<typeof SigningKey>;

const Subscriber = z.object({
  name: z.string(),
  endpointUri: z.url(),
  secret: z.string(),
  state: z.enum(['ACTIVE', 'DISABLED']),
});

/** The fields of the sandbox's file that only this simulation reads. */
const Part = z.object({
  googlehealth: Client,
  googlehealth_secret: z.string(),
  googlehealth_accounts: z.array(Account),
  /** The newest key signs, all are published. */
  googlehealth_keys: z.array(SigningKey).min(1),
  googlehealth_subscriber: Subscriber.nullable(),
});

/** What changed in a notification. */
export const Change = z.object({
  account: z.string(),
  operation: z.enum(['UPSERT', 'DELETE']),
  type: z.string(),
  start_ms: z.number(),
  end_ms: z.number(),
});
/** One change of a type and a span. */
export type Change = z.infer<typeof Change>;

/** The contents of a notification: changes of one request, or invalid text. */
export const Message = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('changes'), changes: z.array(Change).min(1).max(99) }),
  Garbage.extend({ path: z.string().startsWith('/googlehealth/') }),
]);
/** A notification. */
export type Message = z.infer<typeof Message>;

/** The world, with this simulation's own part of the store and its own notifications. */
export interface HealthWorld extends World {
  readonly own: z.infer<typeof Part>;
  send(message: Message): void;
}

/** The world with this simulation's part of the store. */
export function openWorld(world: World): HealthWorld {
  const { store, outbox } = world;
  const initial = {
    googlehealth: newClient('googlehealth'),
    googlehealth_secret: `Bearer ${secret()}`,
    googlehealth_accounts: [],
    googlehealth_keys: [newKey()],
    googlehealth_subscriber: null,
  };
  return {
    ...world,
    own: store.part(Part, initial),
    send: (message) => outbox.add('googlehealth', message),
  };
}

const largestKeyId = 2 ** 31;

/** A new key. */
export function newKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { id: randomInt(1, largestKeyId), pem: String(privateKey.export({ type: 'pkcs8', format: 'pem' })) };
}
