import { createHash } from 'node:crypto';
import { bareItem, type StoreItem } from '../../../domain/records/records.ts';
import type { IdentifiedBlock } from '../../../providers/phone/store/calls.ts';

/**
 * The samples of a batch as one item. Its key names the body and the batch, so that the same body is a duplicate, and so that
 * the item is found when another normaliser makes other samples of it.
 */
export function itemOf(blocks: readonly IdentifiedBlock[], key: string): StoreItem {
  const samples = blocks.map(({ block }) => block);
  return {
    ...bareItem,
    data_type: 'records',
    key,
    hash: key,
    supersede: 'latest',
    duration_seconds: 0,
    samples,
  };
}

/** The key of the samples of a batch of a body. */
export const batchKey = (bodyHash: string, batch: number): string => `${bodyHash}-${batch}`;

const idBytes = 8;
const timeBytes = 8;

/** The ids of a block as a row. */
export const idsOf = (identified: IdentifiedBlock) => ({
  series: identified.block.type,
  device: identified.block.device,
  ...encodeIds(identified),
});

/** Ids and instants in a compact form: 8 bytes of a hash of each id, and 8 of each time. */
function encodeIds({ block, ids }: IdentifiedBlock): { key: string; ids: Buffer; times: Buffer } {
  const hashes = Buffer.concat(ids.map(hashOf));
  const times = Buffer.alloc(ids.length * timeBytes);
  for (const [index, at] of block.at.entries()) times.writeDoubleLE(block.base_ms + at, index * timeBytes);
  const whose = `${block.type}\0${block.device}\0`;
  const key = createHash('sha256').update(whose).update(hashes).update(times).digest('base64url');
  return { key, ids: hashes, times };
}

/** The instants of the ids that a block contains. */
export function instantsOf(
  { ids, times }: { readonly ids: Buffer; readonly times: Buffer },
  wanted: ReadonlySet<string>,
): number[] {
  const instants: number[] = [];
  for (let at = 0; at * idBytes < ids.length; at += 1)
    if (wanted.has(ids.toString('hex', at * idBytes, (at + 1) * idBytes)))
      instants.push(times.readDoubleLE(at * timeBytes));
  return instants;
}

/** The stored form of an id. */
export function hashOf(id: string): Buffer {
  return createHash('sha256').update(id).digest().subarray(0, idBytes);
}
