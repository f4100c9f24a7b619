import {
  JsonError,
  type JsonScan,
  kindOf,
  passValue,
  readElements,
  readObject,
} from '../../domain/json-scan.ts';
import { idIn, textIn } from './mentions.ts';

/** Bytes of a body that give way to a replacement. */
export interface Cutout {
  readonly from: number;
  readonly to: number;
  readonly by: Buffer;
}

/** Stands in for a value: the elements after it keep their index. */
export const standIn = Buffer.from('null');
/** Stands in for a member whose key is an account. */
export const memberStandIn = Buffer.from('"":null');

/** Real items have five levels; what is nested deeper is not looked through value by value. */
export const mostLevels = 100;

/** What names accounts within an object of another owner, which stays itself. */
export function cutoutsIn(scan: JsonScan, accounts: ReadonlySet<string>, level: number): readonly Cutout[] {
  return readMembers(scan, accounts, level).cutouts;
}

/** What a value holds: the owner that it names, whether it is an account's id or holds one itself, cutouts within. */
interface Found {
  readonly owner?: string | undefined;
  readonly isNaming: boolean;
  readonly cutouts: readonly Cutout[];
}

function readNext(scan: JsonScan, accounts: ReadonlySet<string>, level: number): Found {
  if (level > mostLevels) throw new JsonError();
  const kind = kindOf(scan);
  if (kind === 'object') return readMembers(scan, accounts, level);
  if (kind === 'list') return readListed(scan, accounts, level);
  const from = scan.at;
  passValue(scan);
  return { isNaming: accounts.has(textIn(scan.bytes, from, scan.at) ?? ''), cutouts: [] };
}

function readListed(scan: JsonScan, accounts: ReadonlySet<string>, level: number): Found {
  const cutouts: Cutout[] = [];
  let isNaming = false;
  readElements(scan, () => {
    const from = scan.at;
    const isValue = kindOf(scan) === 'other';
    const found = readNext(scan, accounts, level + 1);
    if (isValue) isNaming ||= found.isNaming;
    else addTo(cutouts, found, from, scan.at, accounts);
  });
  return { isNaming, cutouts };
}

function readMembers(scan: JsonScan, accounts: ReadonlySet<string>, level: number): Found {
  const cutouts: Cutout[] = [];
  let owner: string | undefined;
  let isNaming = false;
  readObject(scan, (key, keyFrom) => {
    const from = scan.at;
    const isValue = kindOf(scan) === 'other';
    const found = readNext(scan, accounts, level + 1);
    if (key === 'userId') owner = idIn(scan.bytes, from, scan.at);
    isNaming ||= accounts.has(key) || (isValue && found.isNaming);
    if (accounts.has(key)) cutouts.push({ from: keyFrom, to: scan.at, by: memberStandIn });
    else addTo(cutouts, found, from, scan.at, accounts);
  });
  return { owner, isNaming, cutouts };
}

// One by one: a call takes no hundred thousand arguments.
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
