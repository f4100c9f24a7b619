import {
  expectEnd,
  JsonError,
  type JsonScan,
  jsonScan,
  kindOf,
  passList,
  passValue,
  readObject,
} from '../../domain/json/json-scan.ts';
import type { SingleEvent, Webhooks } from '../../domain/provider/provider.ts';
import { type ProviderName, providers } from '../../providers/all.ts';
import { cutItem } from './cut-item.ts';
import { type Cutout, memberStandIn, standIn } from './cut-values.ts';
import { idIn, mentions } from './mentions.ts';

/** A body without some accounts: unchanged, the rest, or nothing that needs to be kept. */
export type Cut =
  | { readonly kind: 'whole' }
  | { readonly kind: 'rest'; readonly body: Buffer; readonly entries: readonly string[] }
  | { readonly kind: 'nothing' };

type Accounts = ReadonlySet<string>;

/**
 * Removes the items of accounts from a body; all other bytes are unchanged. Each item is replaced by `null`, and `entries`
 * contains its progress key (`dailies[3]`). An unreadable body that mentions an account is removed as a whole. A body of one
 * account is decided by its header: `isOfAccount`.
 */
export function cutBody(provider: ProviderName, bytes: Buffer, accounts: Accounts): Cut {
  const { body }: Webhooks = providers[provider].webhooks;
  if (body.form === 'one-account') return { kind: 'whole' };
  return orMentioned(bytes, accounts, () =>
    body.form === 'items-by-type' ? cutKeyedItems(bytes, accounts) : cutEvent(body, bytes, accounts),
  );
}

/** Whether a whole body belongs to one of the accounts, by the headers of its delivery. */
export function isOfAccount(
  provider: ProviderName,
  headers: Readonly<Record<string, string>>,
  accounts: readonly string[],
): boolean {
  const { body }: Webhooks = providers[provider].webhooks;
  return body.form === 'one-account' && accounts.includes(headers[body.accountHeader] ?? '');
}

/** Whether each body of a provider belongs to one account, which its headers name. */
export function isOfOneAccount(provider: ProviderName): boolean {
  const { body }: Webhooks = providers[provider].webhooks;
  return body.form === 'one-account';
}

/** Removes the items of accounts from a list that was fetched for a ping. */
export function cutList(bytes: Buffer, accounts: Accounts): Cut {
  return orMentioned(bytes, accounts, () => {
    const scan = jsonScan(bytes);
    const found: Found = { cutouts: [], entries: [], others: 0 };
    if (kindOf(scan) !== 'list') throw new JsonError();
    lookThrough(scan, '', accounts, found);
    expectEnd(scan);
    return cutOf(bytes, found);
  });
}

function orMentioned(bytes: Buffer, accounts: Accounts, cut: () => Cut): Cut {
  try {
    return cut();
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { kind: mentions(bytes, accounts) ? 'nothing' : 'whole' };
  }
}

interface Found {
  readonly cutouts: Cutout[];
  readonly entries: string[];
  /** The number of values that belong to no removed account. */
  others: number;
}

// Values that are not arrays are ignored by the ingest services but searched: they may contain data of any account.
function cutKeyedItems(bytes: Buffer, accounts: Accounts): Cut {
  const scan = jsonScan(bytes);
  const found: Found = { cutouts: [], entries: [], others: 0 };
  if (kindOf(scan) !== 'object') throw new JsonError();
  readObject(scan, (key, keyFrom) => {
    const from = scan.at;
    const isList = kindOf(scan) === 'list' && !accounts.has(key);
    if (isList) return lookThrough(scan, key, accounts, found);
    passValue(scan);
    if (accounts.has(key)) found.cutouts.push({ from: keyFrom, to: scan.at, by: memberStandIn });
    else note(bytes, key, from, scan.at, accounts, found);
  });
  expectEnd(scan);
  return cutOf(bytes, found);
}

function lookThrough(scan: JsonScan, key: string, accounts: Accounts, found: Found): void {
  let index = 0;
  passList(scan, (from, to) => {
    note(scan.bytes, `${key}[${index}]`, from, to, accounts, found);
    index += 1;
  });
}

function note(
  bytes: Buffer,
  entry: string,
  from: number,
  to: number,
  accounts: Accounts,
  found: Found,
): void {
  const cut = cutItem(bytes, from, to, accounts);
  if (cut === 'gone') {
    found.cutouts.push({ from, to, by: standIn });
    found.entries.push(entry);
    return;
  }
  if (cut !== 'kept') for (const each of cut) found.cutouts.push(each);
  if (!bytes.subarray(from, to).equals(standIn)) found.others += 1;
}

function cutOf(bytes: Buffer, { cutouts, entries, others }: Found): Cut {
  if (cutouts.length === 0) return { kind: 'whole' };
  if (others === 0) return { kind: 'nothing' };
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { from, to, by } of cutouts) {
    pieces.push(bytes.subarray(at, from), by);
    at = to;
  }
  return { kind: 'rest', body: Buffer.concat([...pieces, bytes.subarray(at)]), entries };
}

function cutEvent({ accountsOf }: SingleEvent, bytes: Buffer, accounts: Accounts): Cut {
  const named = accountsOf(idsOf(jsonScan(bytes)));
  if (named === null) throw new JsonError();
  return { kind: named.some((account) => accounts.has(account)) ? 'nothing' : 'whole' };
}

function idsOf(scan: JsonScan): ReadonlyMap<string, string | undefined> {
  const ids = new Map<string, string | undefined>();
  if (kindOf(scan) !== 'object') throw new JsonError();
  readObject(scan, (key) => {
    const from = scan.at;
    passValue(scan);
    ids.set(key, idIn(scan.bytes, from, scan.at));
  });
  expectEnd(scan);
  return ids;
}
