import { createHmac } from 'node:crypto';
import { z } from 'zod';
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
  readonly fields: Readonly<Record<string, unknown>>;
  /** What an application makes of it, for comparisons. */
  readonly samples?: readonly (readonly [type: SeriesType, ms: number, value: number])[];
}

/** What tests changed on a day. */
export interface DayChanges {
  /** How often the user or the provider changed a record. */
  readonly versionOf: (id: string) => number;
  /** Workouts that the user recorded in addition to those of the simulation, by their start. They take ten minutes. */
  readonly recorded: readonly { readonly startMs: number; readonly endMs: number }[];
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
  readonly authorizePath: string;
  readonly tokenPath: string;
  /** `rotates`: a refresh ends the old pair. `lasts`: there are no refresh tokens. */
  readonly refresh: 'rotates' | 'lasts';
  /** The access token with a random part, where its text has a meaning. */
  accessToken?(account: ListedAccount, random: string): string;
  /** Further fields of a token answer. */
  tokenFields?(account: ListedAccount): object;
  /** The settings that point the application at the simulation. */
  settings(base: string, client: Client, own: ListedState): Readonly<Record<string, string>>;
  /** The body of a notification; null: the provider notifies of no such change. */
  eventOf(account: ListedAccount, change: ListedChange, own: ListedState): object | null;
  readonly signature: {
    readonly header: string;
    readonly time?: { readonly header: string; readonly of: (ms: number) => string };
    readonly encoding: 'hex' | 'base64';
    readonly isUpperCase?: true;
    /** The secret of the client, or one of its own. */
    readonly with: 'client' | 'own';
  };
  /** Where the webhooks of an application are, after the address of all webhooks. */
  readonly webhookPath: string;
  routes(world: ListedWorld): readonly ListedRoute[];
  /** Routes with the credentials of the application, for a provider at which it makes its webhook itself. */
  applicationRoutes?(world: ListedWorld): readonly ApplicationRoute[];
  /** What follows when the address of notifications is set. */
  pointed?(own: ListedState, url: string): void;
}

/** A route of the API that needs the credentials of the application. */
export type ApplicationRoute = Pick<Route, 'method' | 'path' | 'handle'>;

/** A route of the API that needs the token of an account, and a scope unless it is null. */
export interface ListedRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly scope: string | null;
  handle(account: ListedAccount, request: HttpRequest): Reply;
}

const Account = z.object({
  id: z.string(),
  /** The index of the user. */
  person: z.int(),
  authorized: z.boolean(),
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

/** A subscription to a kind of event of a type. It ends by the wall clock, as the application sees it. */
export const ListedSubscription = z.object({
  id: z.string(),
  url: z.url(),
  type: z.string(),
  event: z.string(),
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
});
type ListedChange = z.infer<typeof ListedChange>;

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

/** The headers that sign a body. */
export function signed({ spec, own }: ListedWorld, body: string, ms: number): Record<string, string> {
  const { header, time, encoding, isUpperCase = false } = spec.signature;
  const at = time?.of(ms) ?? '';
  const key = signingKey({ spec, own });
  const digest = createHmac('sha256', key).update(at).update(body).digest(encoding);
  return {
    [header]: isUpperCase ? digest.toUpperCase() : digest,
    ...(time === undefined ? {} : { [time.header]: at }),
  };
}

const signingKey = ({ spec, own }: Pick<ListedWorld, 'spec' | 'own'>): string =>
  spec.signature.with === 'client' ? own.client.client_secret : own.secret;
