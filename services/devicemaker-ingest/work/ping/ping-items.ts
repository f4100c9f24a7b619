import { z } from 'zod';
import { isItem } from '../../../../domain/recipe/read-fields.ts';
import type { LinkedUser, LinkedUsers } from '../../../../mixins/inbox/linked-users.ts';
import type { DataType } from '../../../../providers/devicemaker/data-types.ts';
import { type CallbackRules, checkCallback } from '../../rules/callback.ts';
import type { Push } from '../../rules/read-push.ts';
import { providerUserIdOf, type UnknownItems } from '../entries.ts';

/** The stored items of one user from a ping item. The times are those of the first and last item that have one. */
const Line = z.object({
  connection_id: z.string(),
  user_id: z.string(),
  fetched: z.int(),
  saved: z.int(),
  first_start_ms: z.int().nullable(),
  last_start_ms: z.int().nullable(),
});

/** A final result of a ping item: its data is stored, or it will never be fetched. */
export const Settled = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('fetched'),
    lines: z.array(Line),
    sentences: z.array(z.string()),
    placeholders: z.int().default(0),
  }),
  z.object({ state: z.literal('refused'), sentences: z.array(z.string()) }),
]);

/** Beside final results: the account is unknown, the item waits, or it failed temporarily. */
type Outcome =
  | Settled
  | { readonly state: 'user_not_found'; readonly sentences: readonly string[] }
  | { readonly state: 'queued'; readonly sentences: readonly string[] }
  | { readonly state: 'error'; readonly sentences: readonly string[] };

/** One item of a ping: data of an account is available at an address. */
export interface PingItem {
  readonly key: string;
  readonly type: DataType;
  /** Its position in the ping, for example `dailies[3]`. Names its progress entry and its sentences. */
  readonly entry: string;
  readonly account: string | null;
  readonly linkedUsers: readonly LinkedUser[];
  readonly url: URL | null;
  /** An earlier ping item with the same address, which is fetched once. */
  readonly sameAs: PingItem | null;
  outcome: Outcome;
}

/** The ping items of a ping. Items with an invalid callback are already refused. */
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
      const checked = checkCallback(isItem(item) ? item.callbackURL : null, type, rules);
      const url = checked.ok ? checked.url : null;
      const entry = `${key}[${index}]`;
      const address = JSON.stringify([type.name, account, url?.href ?? entry]);
      const pingItem: PingItem = {
        key,
        type,
        entry,
        account,
        linkedUsers: own,
        url,
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
  if (!isItem(item)) return refused('must be an object');
  if (providerUserIdOf(item) === null) return refused('userId: must be a text');
  if (linkedUsers.length === 0)
    return { state: 'user_not_found', sentences: [`${entry}: no user is connected to this userId`] };
  if (urlReason !== null) return refused(`callbackURL: ${urlReason}`);
  return { state: 'queued', sentences: [] };
}

/** Whether a ping item is not finished. */
export function isWaiting({ outcome: { state } }: PingItem): boolean {
  return state === 'queued' || state === 'error';
}

export type Line = z.infer<typeof Line>;
export type Settled = z.infer<typeof Settled>;
