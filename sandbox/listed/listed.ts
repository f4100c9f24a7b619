import { z } from 'zod';
import type { Item } from '../../domain/recipe/read-fields.ts';
import type { SeriesType } from '../../domain/records/series.ts';
import type { SimulatedDay } from '../day-simulation/day.ts';
import type { HttpRequest, Reply, Route } from '../server/http.ts';
import { Client, Garbage, Grant, newClient, secret } from '../server/store.ts';
import type { Traits } from '../simulation/traits.ts';
import type { World } from '../simulation/world.ts';

/** A record of a list. `fields` is its JSON. It is listed and notified from `availableMs`. */
export interface ListedRecord {
  readonly id: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly availableMs: number;
  /** The local day. */
  readonly date: string;
  /** It is a workout or a night, if its list has any. */
  readonly isCounted: boolean;
  readonly fields: Readonly<Record<string, unknown>>;
  /** What an application makes of it, for comparisons. */
  readonly samples: readonly (readonly [type: SeriesType, ms: number, value: number])[];
}

/** What tests changed on a day. */
export interface DayChanges {
  /** How often the user or the provider changed a record. */
  readonly versionOf: (id: string) => number;
  /** Workouts that the user recorded in addition to those of the simulation, by their start. They take ten minutes. */
  readonly recorded: readonly { readonly startMs: number; readonly endMs: number }[];
  readonly nowMs: number;
}

/** A list of records of a user. */
export interface ListedKind {
  readonly scope: string;
  /** The records of a day of the user. */
  readonly of: (day: SimulatedDay, changes: DayChanges) => readonly ListedRecord[];
  readonly kind: 'workouts' | 'sleeps' | 'other';
  readonly device: string;
}

/** A simulated provider that lists records, and signs notifications which name them. */
export interface ListedSpec {
  readonly name: string;
  readonly title: string;
  hasAccount(traits: Traits): boolean;
  readonly scopes: readonly string[];
  readonly kinds: Readonly<Record<string, ListedKind>>;
  readonly needsPkce: boolean;
  /** How a token request proves which client sends it. */
  readonly clientAuthentication: 'form' | 'basic';
  readonly authorizePath: string;
  readonly tokenPath: string;
  /** The path and the field of the token of a revocation that the client proves in its form. Null: there is none. */
  readonly revocation: { readonly path: string; readonly tokenField: string } | null;
  /** Where accounts are kept apart: one of another region is refused. */
  readonly regions: readonly PlayedRegion[];
  /** `rotates`: a refresh ends the old pair. `lasts`: there are no refresh tokens. */
  readonly refresh: 'rotates' | 'lasts';
  /** The access token with a random part, where its text has a meaning. */
  accessToken(account: ListedAccount, random: string): string;
  /** Further fields of a token answer. */
  tokenFields(account: ListedAccount): object;
  /** The settings that point the application at the simulation. */
  settings(base: string, client: Client): Readonly<Record<string, string>>;
  /** The body of a notification; null: the provider notifies of no such change. */
  eventOf(account: ListedAccount, change: ListedChange): Item | null;
  /** A body with the proof that the provider sends it: headers with a signature, or a secret in the body. */
  sign(world: ListedWorld, body: string, ms: number): SignedBody;
  /** The status of the answer to a notification. */
  readonly acceptedStatus: number;
  /** Where the webhooks of an application are, after the address of all webhooks. Null: the provider does not notify. */
  readonly webhookPath: string | null;
  routes(world: ListedWorld): readonly ListedRoute[];
  /** The files of records. */
  files(world: ListedWorld): readonly Route[];
  /** The application makes its subscriptions itself, with its own credentials. */
  readonly subscribes: boolean;
  /** Null if a person makes them. */
  subscriptions(world: ListedWorld): Subscriptions | null;
}

/** What is sent of a notification. */
export interface SignedBody {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The subscriptions of an application at a provider at which it makes them itself. */
export interface Subscriptions {
  readonly routes: readonly Route[];
  /** Subscribes at an address as the application does, without a check of the address. */
  pointAt(url: string): void;
  /** Whether the application is notified of an event: a subscription has no other value in a field of the event. */
  concerns(event: Item): boolean;
}

/** A route of the API that needs the token of an account, and a scope unless it is null. */
export interface ListedRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly scope: string | null;
  handle(account: ListedAccount, request: HttpRequest, scope: readonly string[]): Reply;
}

/** A region, or the whole of a provider without any, whose name is empty. */
export interface PlayedRegion {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly prefix: string;
}

/** The application's client in a region: each has its own. */
export const clientIn = (client: Client, { prefix }: Pick<PlayedRegion, 'prefix'>): Client => ({
  client_id: client.client_id + prefix.replace('/', '-'),
  client_secret: client.client_secret + prefix.replace('/', '-'),
});

const Account = z.object({
  id: z.string(),
  /** The index of the user. */
  person: z.int(),
  authorized: z.boolean(),
  /** The region in which the user registered it. */
  region: z.string().default(''),
  /** Registered with the application, where the provider wants it. */
  registered: z.boolean().default(false),
  grants: z.array(Grant),
  live_ms: z.number(),
  /** Records that the user deleted, and the versions of changed ones, by their ids. */
  deleted: z.array(z.string()),
  versions: z.record(z.string(), z.int()),
  /** The starts of workouts that the user recorded on demand. */
  recorded: z.array(z.number()),
});
/** An account, with what its user changed. */
export type ListedAccount = z.infer<typeof Account>;

/** A subscription of the application as it asked for it. It ends by the wall clock, as the application sees it. */
const ListedSubscription = z.object({
  id: z.string(),
  body: z.record(z.string(), z.unknown()),
  ends_ms: z.number(),
});
export type ListedSubscription = z.infer<typeof ListedSubscription>;

const State = z.object({
  client: Client,
  /** The secret of signatures, where it is not that of the client. */
  secret: z.string(),
  accounts: z.array(Account),
  webhook: z.url().nullable(),
  /** What the application subscribed to, where it does so itself. */
  subscriptions: z.array(ListedSubscription).default([]),
  /** The provider deactivated the webhook. */
  webhook_off: z.boolean().default(false),
});
export type ListedState = z.infer<typeof State>;

/** What changed. */
const ListedChange = z.object({
  kind: z.literal('change'),
  account: z.string(),
  type: z.string(),
  id: z.string(),
  operation: z.enum(['update', 'delete']),
  ms: z.number(),
  /** When the record began, if it is known. */
  start_ms: z.number().optional(),
});
export type ListedChange = z.infer<typeof ListedChange>;

/** The contents of a notification of a provider. */
export const messageOf = (name: string) =>
  z.discriminatedUnion('kind', [
    ListedChange.extend({ provider: z.literal(name) }),
    Garbage.extend({ path: z.string().startsWith(`/${name}/`) }),
  ]);
export type ListedMessage = z.infer<ReturnType<typeof messageOf>>;

/** The world, with the simulation's own part of the store. */
export interface ListedWorld extends World {
  readonly spec: ListedSpec;
  readonly own: ListedState;
}

/** The world with the part of a simulation. */
export function openListed(world: World, spec: ListedSpec): ListedWorld {
  const { name } = spec;
  const initial = {
    client: newClient(name),
    secret: secret(),
    accounts: [],
    webhook: null,
    subscriptions: [],
    webhook_off: false,
  };
  const own = world.store.part(z.object({ [name]: State }), { [name]: initial })[name];
  if (own === undefined) throw new Error(`${name} has no part of the store`);
  return { ...world, spec, own };
}
