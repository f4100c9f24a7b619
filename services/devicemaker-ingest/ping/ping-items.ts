import { z } from 'zod';
import type { DataType } from '../../../providers/devicemaker/data-types.ts';
import { isObject } from '../../../providers/devicemaker/normalise/item.ts';
import { providerUserIdOf } from '../items/entries.ts';
import type { LinkedUser, LinkedUsers } from '../items/linked-users.ts';
import type { UnknownItems } from '../items/unknown-items.ts';
import type { Push } from '../reading/read-push.ts';
import { type CallbackRules, checkCallback } from './callback.ts';

/** What one of our users got of a ping item; the times are those of the first and the last item that tell one. */
const Line = z.object({
  connection_id: z.string(),
  user_id: z.string(),
  fetched: z.int(),
  saved: z.int(),
  first_start_ms: z.int().nullable(),
  last_start_ms: z.int().nullable(),
});

/** What came of a ping item for good: its data is stored, or it will never be fetched. */
export const Settled = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('fetched'),
    lines: z.array(Line),
    sentences: z.array(z.string()),
    placeholders: z.int().default(0),
  }),
  z.object({ state: z.literal('refused'), sentences: z.array(z.string()) }),
]);

/** Beside what is settled: nobody's, waiting for its turn, or failed for now. */
export type Outcome =
  | Settled
  | { readonly state: 'user_not_found'; readonly sentences: readonly string[] }
  | { readonly state: 'queued'; readonly sentences: readonly string[] }
  | { readonly state: 'error'; readonly sentences: readonly string[] };

/** One item of a ping: data of an account lies ready at an address. */
export interface PingItem {
  readonly key: string;
  readonly type: DataType;
  /** Its place in the ping, `dailies[3]`: the name of its progress, and of its sentences. */
  readonly entry: string;
  readonly account: string | null;
  readonly linkedUsers: readonly LinkedUser[];
  readonly url: URL | null;
  /** The same address stands earlier in the ping: it is fetched once. */
  readonly sameAs: PingItem | null;
  outcome: Outcome;
}

/** The ping items of a ping, those that lead nowhere refused already. */
export function pingItemsOf(
  { groups }: Push,
  linkedUsers: LinkedUsers,
  rules: CallbackRules,
  unknown: UnknownItems,
): PingItem[] {
  const seen = new Map<string, PingItem>();
  return groups.flatMap(({ key, type, items }) =>
    items.flatMap((item, index) => {
      const account = providerUserIdOf(item);
      const own = account === null ? [] : (linkedUsers.get(account) ?? []);
      if (own.length === 0 && !unknown.admits(key)) return [];
      const checked = checkCallback(isObject(item) ? item.callbackURL : null, type, rules);
      const url = checked.ok ? checked.url : null;
      const entry = `${key}[${index}]`;
      const address = JSON.stringify([type.name, account, url?.href ?? entry]);
      const pingItem: PingItem = {
        ...{ key, type, entry, account, linkedUsers: own, url },
        sameAs: seen.get(address) ?? null,
        outcome: verdictOf(item, own, checked.ok ? null : checked.reason, entry),
      };
      if (pingItem.sameAs === null) seen.set(address, pingItem);
      return pingItem;
    }),
  );
}

function verdictOf(
  item: unknown,
  linkedUsers: readonly LinkedUser[],
  urlReason: string | null,
  entry: string,
): Outcome {
  const refused = (reason: string) => ({ state: 'refused' as const, sentences: [`${entry}: ${reason}`] });
  if (!isObject(item)) return refused('must be an object');
  if (providerUserIdOf(item) === null) return refused('userId: must be a text');
  if (linkedUsers.length === 0)
    return { state: 'user_not_found', sentences: [`${entry}: no user is connected to this userId`] };
  if (urlReason !== null) return refused(`callbackURL: ${urlReason}`);
  return { state: 'queued', sentences: [] };
}

/** Whether there is something left to do for a ping item. */
export function isWaiting({ outcome: { state } }: PingItem): boolean {
  return state === 'queued' || state === 'error';
}

export type Line = z.infer<typeof Line>;
export type Settled = z.infer<typeof Settled>;
