import { z } from 'zod';
import { Client, Garbage, Grant, newClient } from '../server/store.ts';
import type { World } from '../simulation/world.ts';

const Account = z.object({
  athlete_id: z.int(),
  /** The index of the user. */
  person: z.int(),
  authorized: z.boolean(),
  grants: z.array(Grant),
  live_ms: z.number(),
  /** Activities that the application has seen in an event or an answer. */
  told: z.array(z.int()),
  deleted: z.array(z.int()),
  /** The titles that the user changed, by activity id. */
  titles: z.record(z.string(), z.string()),
});
export type ActivitynetAccount = z.infer<typeof Account>;

const Event = z.object({
  object_type: z.enum(['activity', 'athlete']),
  object_id: z.int(),
  aspect_type: z.enum(['create', 'update', 'delete']),
  owner_id: z.int(),
  event_time: z.int(),
  updates: z.record(z.string(), z.string()),
});
export type Event = z.infer<typeof Event>;

const Subscription = z.object({ id: z.int(), callback_url: z.url(), verify_token: z.string() });

/** The fields of the sandbox's file that only this simulation reads. */
const Part = z.object({
  activitynet: Client,
  subscription: Subscription.nullable(),
  activitynet_accounts: z.array(Account),
});

/** The application's settings for the events of this provider. */
export const Application = z.object({ sign_events: z.boolean() });

/** The contents of a notification: an event, or invalid text. */
export const Message = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('event'), event: Event }),
  Garbage.extend({ path: z.string().startsWith('/activitynet/') }),
]);
export type Message = z.infer<typeof Message>;

/** The world, with this simulation's own part of the store and its own notifications. */
export interface ActivitynetWorld extends World {
  readonly own: z.infer<typeof Part>;
  application(): z.infer<typeof Application>;
  send(message: Message): void;
}

/** The world with this simulation's part of the store. */
export function openWorld(world: World): ActivitynetWorld {
  const { store, outbox } = world;
  const activitynet = newClient('activitynet');
  return {
    ...world,
    own: store.part(Part, { activitynet, subscription: null, activitynet_accounts: [] }),
    application: () => Application.parse(store.state.application),
    send: (message) => outbox.add('activitynet', message),
  };
}
