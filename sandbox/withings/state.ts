import { z } from 'zod';
import { Client, Garbage, Grant, newClient } from '../server/store.ts';
import type { World } from '../simulation/world.ts';

const Subscription = z.object({ appli: z.int(), callbackurl: z.url(), comment: z.string() });
export type Subscription = z.infer<typeof Subscription>;

/** Tokens. After a refresh the old pair is kept until the new access token is used, or for eight hours. */
const RotatingGrant = Grant.extend({ replaced_by: z.string().optional() });
export type RotatingGrant = z.infer<typeof RotatingGrant>;

const Account = z.object({
  userid: z.int(),
  /** The index of the user. */
  person: z.int(),
  authorized: z.boolean(),
  grants: z.array(RotatingGrant),
  live_ms: z.number(),
  subscriptions: z.array(Subscription),
  /** Rows that the user deleted, by id. */
  deleted: z.array(z.string()),
  /** Rows that were changed later, by id, with the time in seconds. */
  changed: z.record(z.string(), z.number()),
  /** Rows that arrived until `until_ms` since the one before have this time of modification, in seconds. */
  arrivals: z.array(z.object({ until_ms: z.number(), modified: z.number() })),
});
export type WithingsAccount = z.infer<typeof Account>;

/** The fields of the sandbox's file that only this simulation reads. */
const Part = z.object({ withings: Client, withings_accounts: z.array(Account) });

const Notification = z.object({
  kind: z.literal('withings'),
  userid: z.int(),
  fields: z.record(z.string(), z.string()),
});

/** The contents of a notification: fields of a form, or an invalid text. */
export const Message = z.discriminatedUnion('kind', [
  Notification,
  Garbage.extend({ path: z.string().startsWith('/withings/') }),
]);
export type Message = z.infer<typeof Message>;

/** The world, with this simulation's own part of the store and its own notifications. */
export interface WithingsWorld extends World {
  readonly own: z.infer<typeof Part>;
  /** Times of the requests of the last minutes, by the wall clock. */
  readonly requests: number[];
  send(message: Message): void;
}

/** The world with this simulation's part of the store. */
export function openWorld(world: World): WithingsWorld {
  const { store, outbox } = world;
  return {
    ...world,
    own: store.part(Part, { withings: newClient('withings'), withings_accounts: [] }),
    requests: [],
    send: (message) => outbox.add('withings', message),
  };
}
