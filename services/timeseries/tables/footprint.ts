import { crc32 } from 'node:zlib';
import { decodeTimes, encodeTimes } from '../../../domain/records/sample-codec.ts';
import { dayOf, union, without } from './other-instants.ts';

/*
 * The footprint of an item: the instants of the samples that it brought, by series. Each instant belongs to the version of
 * the item that brought it last. The samples are rows without the name of their item, so the footprint tells which of them
 * a mended normaliser has to replace. A regular day of a series takes about 25 bytes.
 */

/** The instants of one series that a version of an item brought, ascending. `hash` is the short form of the version's hash. */
export interface Footstep {
  readonly hash: string;
  readonly series_id: number;
  readonly times: readonly number[];
}

const hashBytes = 4;
const headBytes = hashBytes + 8;

/** A short form of a version's hash, in hexadecimal. */
export const stepHash = (hash: string): string =>
  crc32(hash)
    .toString(16)
    .padStart(2 * hashBytes, '0');

/** Encodes a footprint. Null if it has no instants. */
export function encodeFootprint(steps: readonly Footstep[]): Buffer | null {
  const parts = steps
    .filter(({ times }) => times.length > 0)
    .map(({ hash, series_id, times }) => {
      const encoded = encodeTimes(times);
      const head = Buffer.alloc(headBytes);
      head.write(hash, 'hex');
      head.writeUInt32BE(series_id, hashBytes);
      head.writeUInt32BE(encoded.length, hashBytes + 4);
      return Buffer.concat([head, encoded]);
    });
  return parts.length === 0 ? null : Buffer.concat(parts);
}

/** Decodes a footprint. */
export function decodeFootprint(bytes: Buffer | null): Footstep[] {
  const steps: Footstep[] = [];
  for (let at = 0; bytes !== null && at < bytes.length; ) {
    const length = bytes.readUInt32BE(at + hashBytes + 4);
    steps.push({
      hash: bytes.toString('hex', at, at + hashBytes),
      series_id: bytes.readUInt32BE(at + hashBytes),
      times: decodeTimes(bytes.subarray(at + headBytes, at + headBytes + length)),
    });
    at += headBytes + length;
  }
  return steps;
}

/**
 * The footprint after a version brought samples. Instants of other versions that it brings too are its own from now on.
 * `isFirst`: the samples replace those that the same version brought before.
 */
export function stepsAfter(
  stored: readonly Footstep[],
  brought: readonly Footstep[],
  { hash, isFirst }: { readonly hash: string; readonly isFirst: boolean },
): Footstep[] {
  const own = isFirst ? [] : stored.filter((step) => step.hash === hash);
  const now = merged([...own, ...brought]);
  const timesOf = new Map(now.map(({ series_id, times }) => [series_id, times]));
  const others = stored
    .filter((step) => step.hash !== hash)
    .map((step) => ({ ...step, times: without(step.times, timesOf.get(step.series_id) ?? []) }));
  return [...now, ...others].filter(({ times }) => times.length > 0);
}

function merged(steps: readonly Footstep[]): Footstep[] {
  return [...Map.groupBy(steps, ({ series_id }) => series_id).values()].flatMap(([first, ...rest]) =>
    first === undefined
      ? []
      : [{ ...first, times: rest.reduce((all, { times }) => union(all, times), first.times) }],
  );
}

/** The first and the last UTC day of a footprint, counted from 1970-01-01. */
export function daysOfFootprint(bytes: Buffer | null): {
  readonly first_day: number | null;
  readonly last_day: number | null;
} {
  const steps = decodeFootprint(bytes);
  if (steps.length === 0) return { first_day: null, last_day: null };
  return {
    first_day: dayOf(Math.min(...steps.map(({ times }) => times[0] ?? 0))),
    last_day: dayOf(Math.max(...steps.map(({ times }) => times.at(-1) ?? 0))),
  };
}
