import {
  JsonError,
  type JsonScan,
  kindOf,
  passValue,
  readElements,
  readObject,
} from '../../domain/json/json-scan.ts';
import { type Cutout, cutoutsIn, standIn } from './cut-values.ts';
import { idIn, mayMention, mentions } from './mentions.ts';

/** What to remove from one item: nothing (`kept`), the item itself (`gone`), or values within it. */
export type ItemCut = 'kept' | 'gone' | readonly Cutout[];

/**
 * What to remove from an item for some accounts. `userId` names the owner of the item. An item without an owner is removed
 * if it mentions an account anywhere. An item of another owner is kept; removed from it is each value that is an account's
 * id, with the object or list that contains it unless that has another owner. Numbers in such items are measurements.
 */
export function cutItem(bytes: Buffer, from: number, to: number, accounts: ReadonlySet<string>): ItemCut {
  const slice = bytes.subarray(from, to);
  if (!mayMention(slice, accounts)) return 'kept';
  try {
    return cutParsed({ bytes: bytes.subarray(0, to), at: from }, accounts);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return mentions(slice, accounts) ? 'gone' : 'kept';
  }
}

function cutParsed(scan: JsonScan, accounts: ReadonlySet<string>): ItemCut {
  const from = scan.at;
  const kind = kindOf(scan);
  if (kind === 'list') return cutItems(scan, accounts);
  passValue(scan);
  const slice = scan.bytes.subarray(0, scan.at);
  const owner = kind === 'object' ? ownerIn(slice, from) : undefined;
  if (owner === undefined) return mentions(slice.subarray(from), accounts) ? 'gone' : 'kept';
  if (accounts.has(owner)) return 'gone';
  const cutouts = cutoutsIn({ bytes: slice, at: from }, accounts);
  return cutouts.length === 0 ? 'kept' : cutouts;
}

// Of a repeated key the last value is used, as by JSON.parse.
function ownerIn(bytes: Buffer, at: number): string | undefined {
  const scan = { bytes, at };
  let owner: string | undefined;
  readObject(scan, (key) => {
    const from = scan.at;
    passValue(scan);
    if (key === 'userId') owner = idIn(bytes, from, scan.at);
  });
  return owner;
}

// A list in place of an item is treated as items, unless it contains other values.
function cutItems(scan: JsonScan, accounts: ReadonlySet<string>): ItemCut {
  const start = scan.at;
  const cutouts: Cutout[] = [];
  let isRow = false;
  readElements(scan, () => {
    const from = scan.at;
    isRow ||= kindOf(scan) === 'other';
    const cut = cutParsed(scan, accounts);
    if (cut === 'gone') cutouts.push({ from, to: scan.at, by: standIn });
    else if (cut !== 'kept') for (const each of cut) cutouts.push(each);
  });
  if (isRow) return mentions(scan.bytes.subarray(start, scan.at), accounts) ? 'gone' : 'kept';
  return cutouts.length === 0 ? 'kept' : cutouts;
}
