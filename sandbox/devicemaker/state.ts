import { z } from 'zod';
import { Client, Garbage, Grant, newClient, Span, secret } from '../server/store.ts';
import type { World } from '../simulation/world.ts';
import { dataTypes } from './payloads.ts';

const SpansByType = z.partialRecord(z.enum(dataTypes), z.array(Span));

const Account = z.object({
  account_id: z.string(),
  /** The index of the user. */
  person: z.int(),
  registered: z.boolean(),
  permissions: z.array(z.string()),
  /** The time until which live data was sent. */
  live_ms: z.number(),
  grants: z.array(Grant),
  asked: SpansByType,
  sent: SpansByType,
});
export type DevicemakerAccount = z.infer<typeof Account>;

const NotificationPart = z.object({ account_id: z.string(), type: z.enum(dataTypes), ...Span.shape });
export type NotificationPart = z.infer<typeof NotificationPart>;

/** The fields of the sandbox's file that only this simulation reads. */
const Part = z.object({
  signing_key: z.string(),
  devicemaker: Client,
  devicemaker_accounts: z.array(Account),
  /** Requested past data of the batch window that is still open. */
  gathering: z.array(NotificationPart),
});

/** The application's settings for the notifications of this provider. */
export const Application = z.object({
  /** The last segment of the webhooks' paths if they are secret. */
  secret: z.string().nullish(),
  style: z.enum(['push', 'ping']),
  header: z.enum(['devicemaker-client-id', 'garmin-client-id']),
  /** Names of data types: the documented ones, or those that some senders use. */
  names: z.enum(['documented', 'other']),
  /** Disabled data types: backfill requests return 412, and their data is not sent. */
  types_off: z.array(z.enum(dataTypes)),
});

/** The initial settings. */
export const initialApplication: z.infer<typeof Application> = {
  style: 'push',
  header: 'devicemaker-client-id',
  names: 'documented',
  types_off: [],
};

/** The contents of a notification: parts of data, a notice about an account, or invalid text. */
export const Message = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('data'), portions: z.array(NotificationPart) }),
  z.object({ kind: z.literal('notice'), body: z.record(z.string(), z.array(z.unknown())) }),
  Garbage.extend({ path: z.string().startsWith('/devicemaker/') }),
]);
export type Message = z.infer<typeof Message>;

/** The world, with this simulation's own part of the store and its own notifications. */
export interface DevicemakerWorld extends World {
  readonly own: z.infer<typeof Part>;
  application(): z.infer<typeof Application>;
  send(message: Message): void;
}

/** The world with this simulation's part of the store. */
export function openWorld(world: World): DevicemakerWorld {
  const { store, outbox } = world;
  const devicemaker = newClient('devicemaker');
  const initial = { signing_key: secret(), devicemaker, devicemaker_accounts: [], gathering: [] };
  return {
    ...world,
    own: store.part(Part, initial),
    application: () => Application.parse(store.state.application),
    send: (message) => outbox.add('devicemaker', message),
  };
}
