import { z } from 'zod';
import { Client, Garbage, Grant, newClient } from '../server/store.ts';
import type { World } from '../simulation/world.ts';

// Files of earlier versions name no client: there was one.
const client_id = z.string().optional();
const Subscription = z.object({
  appli: z.int(),
  callbackurl: z.url(),
  comment: z.string(),
  client_id,
});
export type Subscription = z.infer<typeof Subscription>;

/** Tokens. After a refresh the old pair is kept until the new access token is used, or for eight hours. */
const RotatingGrant = Grant.extend({ replaced_by: z.string().optional(), client_id });
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

/** What came of a client: token requests that were granted and refused, and requests with its tokens. */
export interface ClientCounts {
  granted: number;
  refused: number;
  /** Token requests with a code or a refresh token of another client. */
  crossed: number;
  requests: number;
}

/** The world, with this simulation's own part of the store and its own notifications. */
export interface WithingsWorld extends World {
  readonly own: z.infer<typeof Part>;
  /** Times of the requests of the last minutes, by the wall clock. */
  readonly requests: number[];
  readonly clients: readonly Client[];
  /** By the id of the client. */
  readonly counts: Map<string, ClientCounts>;
  send(message: Message): void;
}

/** The world with this simulation's part of the store. */
export function openWorld(world: World): WithingsWorld {
  const { store, outbox } = world;
  const own = store.part(Part, { withings: newClient('withings'), withings_accounts: [] });
  return {
    ...world,
    own,
    requests: [],
    clients: [own.withings, ...world.otherClients],
    counts: new Map(),
    send: (message) => outbox.add('withings', message),
  };
}

/** The counts of a client, which the caller increases. */
export function countsOf({ counts }: WithingsWorld, clientId: string): ClientCounts {
  const held = counts.get(clientId) ?? { granted: 0, refused: 0, crossed: 0, requests: 0 };
  counts.set(clientId, held);
  return held;
}
