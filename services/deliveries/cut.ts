import {
  expectEnd,
  JsonError,
  type JsonScan,
  jsonScan,
  kindOf,
  passList,
  passValue,
  readObject,
  readValue,
} from '../../domain/json-scan.ts';
import type { ProviderName } from '../../domain/wire.ts';

/** What is left of a body without some accounts: all of it, the rest, or nothing that is worth keeping. */
export type Cut =
  | { readonly kind: 'whole' }
  | { readonly kind: 'rest'; readonly body: Buffer; readonly entries: readonly string[] }
  | { readonly kind: 'nothing' };

/** An array's place in a body, in which items stand in for it when they are cut out: the others keep their index. */
const standIn = Buffer.from('null');

/**
 * Takes the items of accounts out of a body, byte for byte: each gives way to `null`, and `entries` names it as its
 * progress is named (`dailies[3]`). A body that cannot be read and names an account is not worth keeping.
 */
export function cutBody(provider: ProviderName, bytes: Buffer, accounts: ReadonlySet<string>): Cut {
  try {
    return provider === 'devicemaker' ? cutItems(bytes, accounts) : cutEvent(bytes, accounts);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return [...accounts].some((account) => bytes.includes(account)) ? { kind: 'nothing' } : { kind: 'whole' };
  }
}

interface Found {
  readonly places: { readonly entry: string; readonly from: number; readonly to: number }[];
  /** Values that belong to nobody who is to be cut out. */
  others: number;
}

// A value in the place of an array is nobody's data to us, and still somebody's.
function cutItems(bytes: Buffer, accounts: ReadonlySet<string>): Cut {
  const scan = jsonScan(bytes);
  const found: Found = { places: [], others: 0 };
  if (kindOf(scan) !== 'object') throw new JsonError();
  readObject(scan, (key) => {
    if (kindOf(scan) === 'list') return lookThrough(scan, key, accounts, found);
    const from = scan.at;
    passValue(scan);
    note(scan.bytes, key, [from, scan.at], accounts, found);
  });
  expectEnd(scan);
  return cutOf(bytes, found);
}

/** Takes the items of accounts out of a list, as a callback is answered with. */
export function cutList(bytes: Buffer, accounts: ReadonlySet<string>): Cut {
  const scan = jsonScan(bytes);
  const found: Found = { places: [], others: 0 };
  if (kindOf(scan) !== 'list') throw new JsonError();
  lookThrough(scan, '', accounts, found);
  expectEnd(scan);
  return cutOf(bytes, found);
}

function lookThrough(scan: JsonScan, key: string, accounts: ReadonlySet<string>, found: Found): void {
  let index = 0;
  passList(scan, (from, to) => {
    note(scan.bytes, `${key}[${index}]`, [from, to], accounts, found);
    index += 1;
  });
}

function note(
  bytes: Buffer,
  entry: string,
  [from, to]: readonly [number, number],
  accounts: ReadonlySet<string>,
  found: Found,
): void {
  const owner = ownerOf({ bytes: bytes.subarray(0, to), at: from }, 'userId');
  if (owner !== null && accounts.has(owner)) found.places.push({ entry, from, to });
  else if (!bytes.subarray(from, to).equals(standIn)) found.others += 1;
}

function cutOf(bytes: Buffer, { places, others }: Found): Cut {
  if (places.length === 0) return { kind: 'whole' };
  if (others === 0) return { kind: 'nothing' };
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { from, to } of places) {
    pieces.push(bytes.subarray(at, from), standIn);
    at = to;
  }
  const body = Buffer.concat([...pieces, bytes.subarray(at)]);
  return { kind: 'rest', body, entries: places.map(({ entry }) => entry) };
}

// An event carries no data, and is of one account.
function cutEvent(bytes: Buffer, accounts: ReadonlySet<string>): Cut {
  const owner = ownerOf(jsonScan(bytes), 'owner_id');
  if (owner === null) throw new JsonError();
  return accounts.has(owner) ? { kind: 'nothing' } : { kind: 'whole' };
}

// Numbers as they are written: an id may exceed what a double holds.
function ownerOf(scan: JsonScan, field: string): string | null {
  let owner: string | null = null;
  if (kindOf(scan) !== 'object') return null;
  readObject(scan, (key) => {
    const from = scan.at;
    if (key !== field) return passValue(scan);
    const value = readValue(scan);
    if (typeof value === 'string') owner = value;
    else owner = typeof value === 'number' ? scan.bytes.toString('utf8', from, scan.at) : null;
  });
  return owner;
}
