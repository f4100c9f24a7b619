import { z } from 'zod';
import { Client, Garbage, Grant, newClient, Span, secret } from '../store.ts';
import type { World } from '../world.ts';
import { dataTypes } from './payloads.ts';

const SpansByType = z.partialRecord(z.enum(dataTypes), z.array(Span));

const Account = z.object({
  account_id: z.string(),
  /** The index of the person. */
  person: z.int(),
  registered: z.boolean(),
  permissions: z.array(z.string()),
  /** Live data is sent up to here. */
  live_ms: z.number(),
  grants: z.array(Grant),
  asked: SpansByType,
  sent: SpansByType,
});
export type DevicemakerAccount = z.infer<typeof Account>;

const Portion = z.object({ account_id: z.string(), type: z.enum(dataTypes), ...Span.shape });
export type Portion = z.infer<typeof Portion>;

/** The fields of the sandbox's file that only this simulation reads. */
const Part = z.object({
  signing_key: z.string(),
  devicemaker: Client,
  devicemaker_accounts: z.array(Account),
  /** Past data that was asked for in the window that is still open. */
  gathering: z.array(Portion),
});

/** How the application wants the notifications of this provider. */
export const Application = z.object({
  /** The last segment of the webhooks' paths, where they are secret. */
  secret: z.string().nullish(),
  style: z.enum(['push', 'ping']),
  header: z.enum(['devicemaker-client-id', 'garmin-client-id']),
  /** Data types by their documented names, or by those that other senders use. */
  names: z.enum(['documented', 'other']),
  /** Data types that are switched off: a backfill request answers 412, and nothing of them is sent. */
  types_off: z.array(z.enum(dataTypes)),
});

/** The settings of a new file. */
export const initialApplication: z.infer<typeof Application> = {
  style: 'push',
  header: 'devicemaker-client-id',
  names: 'documented',
  types_off: [],
};

/** What a notification says: portions of data, a notice about an account, or garbage. */
export const Message = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('data'), portions: z.array(Portion) }),
  z.object({ kind: z.literal('notice'), body: z.record(z.string(), z.array(z.unknown())) }),
  Garbage.extend({ path: z.string().startsWith('/devicemaker/') }),
]);
export type Message = z.infer<typeof Message>;

/** What this simulation works with: the world, its own part of the store, and its own notifications. */
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
