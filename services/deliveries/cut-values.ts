import { type JsonScan, kindOf, passValue, readElements, readObject } from '../../domain/json/json-scan.ts';
import { idIn, textIn } from './mentions.ts';

/** Bytes of a body and their replacement. */
export interface Cutout {
  readonly from: number;
  readonly to: number;
  readonly by: Buffer;
}

/** Replaces a value, so that the elements after it keep their index. */
export const standIn = Buffer.from('null');
/** Replaces a member whose key is an account. */
export const memberStandIn = Buffer.from('"":null');

/** The values to remove within an object of another owner; the object itself is kept. */
export function cutoutsIn(scan: JsonScan, accounts: ReadonlySet<string>): readonly Cutout[] {
  return readMembers(scan, accounts).cutouts;
}

/** The content of a value: its owner, whether it is or directly contains an account's id, and the values to remove. */
interface Found {
  readonly owner?: string | undefined;
  readonly isNaming: boolean;
  readonly cutouts: readonly Cutout[];
}

function readNext(scan: JsonScan, accounts: ReadonlySet<string>): Found {
  const kind = kindOf(scan);
  if (kind === 'object') return readMembers(scan, accounts);
  if (kind === 'list') return readListed(scan, accounts);
  const from = scan.at;
  passValue(scan);
  return { isNaming: accounts.has(textIn(scan.bytes, from, scan.at) ?? ''), cutouts: [] };
}

function readListed(scan: JsonScan, accounts: ReadonlySet<string>): Found {
  const cutouts: Cutout[] = [];
  let isNaming = false;
  readElements(scan, () => {
    const from = scan.at;
    const isValue = kindOf(scan) === 'other';
    const found = readNext(scan, accounts);
    if (isValue) isNaming ||= found.isNaming;
    else addTo(cutouts, found, from, scan.at, accounts);
  });
  return { isNaming, cutouts };
}

function readMembers(scan: JsonScan, accounts: ReadonlySet<string>): Found {
  const cutouts: Cutout[] = [];
  let owner: string | undefined;
  let isNaming = false;
  readObject(scan, (key, keyFrom) => {
    const from = scan.at;
    const isValue = kindOf(scan) === 'other';
    const found = readNext(scan, accounts);
    if (key === 'userId') owner = idIn(scan.bytes, from, scan.at);
    isNaming ||= accounts.has(key) || (isValue && found.isNaming);
    if (accounts.has(key)) cutouts.push({ from: keyFrom, to: scan.at, by: memberStandIn });
    else addTo(cutouts, found, from, scan.at, accounts);
  });
  return { owner, isNaming, cutouts };
}

// The cutouts are pushed one by one, because a call cannot take a hundred thousand arguments.
function addTo(
  all: Cutout[],
  { owner, isNaming, cutouts }: Found,
  from: number,
  to: number,
  accounts: ReadonlySet<string>,
): void {
  const isGone = owner === undefined ? isNaming : accounts.has(owner);
  if (isGone) all.push({ from, to, by: standIn });
  else for (const cutout of cutouts) all.push(cutout);
}
