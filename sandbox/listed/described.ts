import { z } from 'zod';
import type { Notifications, SignatureAuthentication } from '../../domain/provider/notifications.ts';
import type { OAuth, Provider, SettingNames } from '../../domain/provider/provider.ts';
import type { Pull } from '../../domain/provider/pulled-provider.ts';
import type { Collection } from '../../domain/recipe/collection.ts';
import type { Draft } from '../../domain/recipe/draft.ts';
import { type Item, isItem } from '../../domain/recipe/read-fields.ts';
import { isoTime } from '../../domain/time/time.ts';
import type { Traits } from '../simulation/traits.ts';
import type { ListedChange, PlayedRegion } from './listed.ts';
import type { Thing, Things } from './things.ts';

/** What the description of a provider does not say of one of its kinds of data. */
export interface KindPart {
  /** The things of which it has records. Omitted: it follows from the ends of the table. */
  readonly of?: Things;
  /** Fields of a record that the table cannot make, such as lists. Undefined removes a field. */
  readonly fields?: (draft: Draft, thing: Thing, version: number) => Item;
  /** The answer to a request of a day with its records, where `records` of the collection is a function: its inverse. */
  readonly answer?: (records: readonly Item[], day: string) => unknown;
}

/** A provider that lists records, and what its description does not say. */
export interface Twin<N extends string = string> {
  readonly name: N;
  readonly provider: Provider;
  readonly collections: Readonly<Record<string, Collection>>;
  readonly kinds?: Readonly<Record<string, KindPart>>;
  hasAccount(traits: Traits): boolean;
  /** How the provider names an account where it is read after consent, and in fields of records that are not kept. */
  account(id: string): Item;
  /**
   * The fields in which a notification differs from the example of the description, whose account and id are replaced. Null: the
   * provider does not notify of it. Omitted: it has no notifications.
   */
  event?(change: ListedChange & { readonly start_ms: number }): Item | null;
  /** The access token with a random part, where its text names the account. */
  accessToken?(id: string, random: string): string;
  /** Its tokens last until they are revoked, and there are none to refresh them. */
  readonly tokensLast?: true;
  /** Its signatures are in capital letters. */
  readonly signsInCapitals?: true;
  /** The form of the subscriptions that the application makes itself. */
  readonly subscription?: SubscriptionForm;
  /** Settings of the application in addition to addresses, credentials and secrets. */
  readonly settings?: Readonly<Record<string, string>>;
}

interface SubscriptionForm {
  /** The member of answers that has them. Omitted: the answer itself. */
  readonly member?: string;
  /** The member of a new one with the secret of signatures. */
  readonly secret?: string;
  /** The body that a new address must answer. */
  readonly ping?: Item;
}

/** The parts of a description that a twin needs. */
export interface Described<N extends string = string> extends Twin<N> {
  readonly oauth: OAuth;
  readonly pull: Pull;
  readonly names: SettingNames;
  readonly notifications: PlayedNotifications | null;
  readonly scopes: readonly string[];
  /** The path of the API, below which all paths of the description are. */
  readonly apiPath: string;
  /** The settings that the provider would have at its own addresses. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

/** Notifications whose proof a twin can make: it publishes no keys. */
type PlayedNotifications = Notifications & {
  readonly authentication: Exclude<Notifications['authentication'], SignatureAuthentication>;
};

/** The description, with what follows from it. @throws Error if it is no provider that lists, or it signs with published keys */
export function describedBy<N extends string>(twin: Twin<N>): Described<N> {
  const { oauth, pull, names, settings } = twin.provider;
  if (oauth === null || pull === undefined || names === null)
    throw new Error(`${twin.name} needs oauth, pull and names`);
  const notifications = playedNotifications(twin.name, pull.notifications);
  const defaults = z.object(settings).parse({});
  const scopes = (oauth.scope ?? '').split(/[\s,]+/).filter((one) => one !== '');
  const apiPath = pathOf(new URL(String(defaults[names.apiUrl])));
  return { ...twin, oauth, pull, names, notifications, scopes, apiPath, defaults };
}

function playedNotifications(name: string, given: Notifications | null): PlayedNotifications | null {
  if (given === null) return null;
  const { authentication } = given;
  if (authentication.by === 'signature') throw new Error(`${name} signs with published keys`);
  return { ...given, authentication };
}

/** The regions in which a twin is played, by their names, each with the part that its addresses have before their paths. */
export function playedRegions({ provider }: Twin): readonly PlayedRegion[] {
  const regions = Object.entries(provider.regions ?? { '': { settings: {} } });
  // The region whose settings are those of the provider is at the addresses without a part of their own.
  return regions.map(([name, { settings }]) => ({
    name,
    settings,
    prefix: Object.keys(settings).length === 0 ? '' : `/${name}`,
  }));
}

/** The path of an address, without a slash at its end. */
export const pathOf = ({ pathname }: URL): string => pathname.replace(/\/$/, '');

/** A notification: the example of the description with the account, the id and the time of the change. */
export function eventOf(
  { notifications, event }: Described,
  account: string,
  change: ListedChange,
): Item | null {
  if (notifications === null || event === undefined) return null;
  const { example, read } = notifications;
  const [named] = read(Buffer.from(JSON.stringify(example))) ?? [];
  const own = event({ ...change, start_ms: change.start_ms ?? change.ms });
  if (own === null || named?.kind !== 'changed') return null;
  const replaced = new Map([
    [named.account, account],
    [named.id ?? '', change.id],
  ]);
  return { ...replacedIn(example, replaced, isoTime(change.ms)), ...own };
}

function replacedIn(item: Item, texts: ReadonlyMap<string, string>, now: string): Item {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => {
      const text = /^\d{4}-\d\d-\d\dT/.test(String(value)) ? now : texts.get(String(value));
      if (isItem(value)) return [name, replacedIn(value, texts, now)];
      if (text === undefined) return [name, value];
      return [
        name,
        typeof value === 'number' && text !== '' && !Number.isNaN(Number(text)) ? Number(text) : text,
      ];
    }),
  );
}
