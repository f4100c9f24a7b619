import { ServiceError } from '../../../domain/errors.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { KeptDelivery } from '../../../mixins/inbox/kept-delivery.ts';
import type { LinkedUsers } from '../../../mixins/inbox/linked-users.ts';
import { type BodyKeys, readKeptBody, readKeptEntry } from '../../../mixins/inbox/sealed-bodies.ts';
import { type Entry, entriesOf, providerUserIdOf } from '../items/entries.ts';
import { UnknownItems } from '../items/unknown-items.ts';
import { callbackRules } from '../ping/callback.ts';
import { pingItemsOf } from '../ping/ping-items.ts';
import { entryOf } from '../ping/work-ping-item.ts';
import type { ItemSource } from '../reading/item-source.ts';
import { openList, openOrRefuse } from '../reading/open-body.ts';
import type { Push } from '../reading/read-push.ts';

/** An item of a body with its entries, one for each linked user of its account. */
interface KeptItem {
  readonly entries: readonly Entry[];
}

/** An opened body: its items of the wanted types in order. Call `close` after processing. */
export interface KeptBody {
  readonly kept: readonly KeptItem[];
  readonly items: ItemSource;
  readonly close: () => void;
}

/** What is needed to find the entries of a body. */
export interface Reading {
  readonly database: Queryable;
  readonly delivery: KeptDelivery;
  readonly config: Parameters<typeof callbackRules>[0] & BodyKeys;
  /** The only type of items, or null. */
  readonly type: string | null;
  readonly usersOf: (accounts: readonly string[]) => Promise<LinkedUsers>;
}

const nothing: KeptBody = { kept: [], items: async function* () {}, close: () => undefined };

/** Opens a body of a delivery by its number: a push has one, a ping one for each of its items. Null after the last one. */
export async function openKept(reading: Reading, number: number): Promise<KeptBody | null> {
  const { database, delivery, type } = reading;
  if (delivery.kind === 'push' && number > 0) return null;
  const opened = await openOrRefuse(await readKeptBody(database, reading.config, delivery));
  if (opened instanceof ServiceError) return null;
  const { push, items, close } = opened;
  const groups = push.groups.filter((group) => type === null || group.type.name === type);
  if (delivery.kind === 'push') return { kept: await keptOf(reading, { ...push, groups }), items, close };
  close();
  return openFetched(reading, push, number);
}

async function keptOf({ usersOf }: Reading, { groups }: Push): Promise<KeptItem[]> {
  const accounts = groups.flatMap(({ items }) => items.flatMap((item) => providerUserIdOf(item) ?? []));
  const users = await usersOf(accounts);
  return groups.flatMap((group) => {
    const byIndex = Map.groupBy(entriesOf(group, users, new UnknownItems(0)), ({ index }) => index);
    return group.items.map((_, index) => ({ entries: byIndex.get(index) ?? [] }));
  });
}

// The callbacks of a ping are numbered with all types, so that their numbers do not depend on the wanted one.
async function openFetched(reading: Reading, push: Push, number: number): Promise<KeptBody | null> {
  const { database, delivery, config, type, usersOf } = reading;
  const accounts = push.groups.flatMap(({ items }) => items.flatMap((item) => providerUserIdOf(item) ?? []));
  const all = new UnknownItems(Number.POSITIVE_INFINITY);
  const pingItem = pingItemsOf(push, await usersOf(accounts), callbackRules(config), all)[number];
  if (pingItem === undefined) return null;
  if (pingItem.sameAs !== null || (type !== null && pingItem.type.name !== type)) return nothing;
  const body = await readKeptEntry(database, config, delivery, pingItem.entry);
  const opened = body === null ? null : await openList(body);
  if (opened === null) return nothing;
  const { list, items, close } = opened;
  const kept = list.map((item, index) => ({
    entries: pingItem.linkedUsers.map((linkedUser) => entryOf(pingItem, linkedUser, item, index)),
  }));
  return { kept, items, close };
}
