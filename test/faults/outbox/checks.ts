import { isDeepStrictEqual } from 'node:util';
import type { FeedChange } from './feed-reader.ts';
import { keyOf, sequenceOf } from './received-state.ts';
import type { Arrival } from './receiver.ts';

/** The name of a change of a user: no other change has it. */
const changeOf = ({ data }: Pick<Arrival, 'data'>) => `${data.user_id} ${data.sequence}`;

/** What is wrong with the feed: an id that is not above the one before, a number that is missing or there twice. */
export function wrongInFeed(changes: readonly FeedChange[], deleted: ReadonlySet<unknown>): string[] {
  const wrong = changes.flatMap(({ id }, index) => {
    const before = changes[index - 1];
    return before !== undefined && BigInt(id) <= BigInt(before.id) ? `id ${id} after ${before.id}` : [];
  });
  const ofUsers = changes.filter(({ data }) => data.user_id !== undefined);
  for (const [user, own] of Map.groupBy(ofUsers, ({ data }) => data.user_id)) {
    const numbers = own.map(sequenceOf);
    const isRising = numbers.every((n, index) => index === 0 || n > (numbers[index - 1] ?? 0));
    const isGapless = isRising && numbers.length === numbers.at(-1);
    // Changes of a deleted user are erased: a reader may be too late for some of them.
    if (!isRising || (!isGapless && !deleted.has(user))) wrong.push(`${user}: ${numbers.join(' ')}`);
  }
  return wrong;
}

/** What is wrong with the ids of messages: a change of an endpoint with two of them, or an id of two changes. */
export function wrongIds(arrivals: readonly Arrival[]): string[] {
  const ids = new Map<string, string>();
  const changes = new Map<string, Arrival>();
  const wrong: string[] = [];
  for (const arrival of arrivals) {
    const change = `${arrival.endpoint} ${arrival.type} ${changeOf(arrival)} ${arrival.data.endpoint_id ?? ''}`;
    if ((ids.get(change) ?? arrival.id) !== arrival.id) wrong.push(`${change}: two ids`);
    ids.set(change, arrival.id);
    const known = changes.get(arrival.id) ?? arrival;
    if (!isDeepStrictEqual(thin(known), thin(arrival))) wrong.push(`${arrival.id}: two contents`);
    changes.set(arrival.id, arrival);
  }
  return wrong;
}

function thin({ type, timestamp, data }: Pick<Arrival, 'type' | 'timestamp' | 'data'>) {
  const { record: _, ...rest } = data;
  return { type, timestamp, data: rest };
}

/** Where an endpoint and the feed differ: changes that one of them has not, or has otherwise. */
export function wrongMessages(
  arrivals: readonly Arrival[],
  changes: readonly FeedChange[],
  deleted: ReadonlySet<unknown>,
): string[] {
  const ofUsers = changes.filter(({ data }) => data.user_id !== undefined);
  const feed = new Map(ofUsers.map((change) => [changeOf(change), change]));
  const received = new Map(
    arrivals.filter(({ data }) => data.user_id !== undefined).map((one) => [changeOf(one), one]),
  );
  const isKept = (one: Pick<Arrival, 'type' | 'data'>) =>
    !deleted.has(one.data.user_id) || one.type === 'user.deleted';
  const lost = [...feed].filter(([key, change]) => isKept(change) && !received.has(key));
  const strange = [...received].filter(([key, one]) => isKept(one) && !feed.has(key));
  const other = [...received].filter(([key, one]) => {
    const change = feed.get(key);
    return change !== undefined && !isDeepStrictEqual(thin(change), thin(one));
  });
  return [
    ...lost.map(([key, { type }]) => `lost: ${type} ${key}`),
    ...strange.map(([key, { type }]) => `not in the feed: ${type} ${key}`),
    ...other.map(([key, { type }]) => `not as in the feed: ${type} ${key}`),
  ];
}

/** Messages but those of one object, which has only one. Undefined: every object has several. */
export function withoutOneObject(
  arrivals: readonly Arrival[],
  kind: string,
  isThere: (key: string) => boolean,
): Arrival[] | undefined {
  const ofKind = arrivals.filter(({ type }) => type.startsWith(`${kind}.`));
  const objects = Map.groupBy(ofKind, (one) => keyOf(one) ?? '');
  const only = [...objects].find(
    ([key, of]) => isThere(key) && new Set(of.map(({ id }) => id)).size === 1,
  )?.[1][0];
  return only === undefined ? undefined : arrivals.filter(({ id }) => id !== only.id);
}
