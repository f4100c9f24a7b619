import { type StreamType, streamTypes, type Track, type TrackChunk } from '../../../domain/workouts/track.ts';
import { decodeChunk, encodeChunk } from '../../../domain/workouts/track-codec.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import {
  deleteChunk,
  selectChunksOutside,
  selectWholeTrack,
  type TrackOwner,
  updateChunk,
} from './queries/change-track.ts';

/** The times of the points of a track, in ms. */
export async function trackTimes(transaction: Queryable, owner: TrackOwner): Promise<number[]> {
  const chunks = await selectWholeTrack(transaction, owner);
  return chunks.flatMap((row) => decodeChunk(chunkOf(row)).times);
}

/** Removes the points of a cropped activity outside of its span. */
export async function cropTrack(
  transaction: Queryable,
  owner: TrackOwner,
  { start_ms, end_ms }: { readonly start_ms: number; readonly end_ms: number },
): Promise<void> {
  for (const row of await selectChunksOutside(transaction, owner, start_ms, end_ms)) {
    const cropped = pointsWithin(decodeChunk(chunkOf(row)), start_ms, end_ms);
    if (cropped.times.length === 0) await deleteChunk(transaction, owner, row);
    else await updateChunk(transaction, owner, row, encodeChunk(cropped, row.chunk));
  }
}

function pointsWithin({ times, columns }: Track, startMs: number, endMs: number): Track {
  const isKept = (_: unknown, index: number) => {
    const ms = times[index] ?? 0;
    return ms >= startMs && ms <= endMs;
  };
  const kept = [...columns].map(([type, values]) => [type, values.filter(isKept)] as const);
  return { times: times.filter(isKept), columns: new Map(kept) };
}

type StoredColumns = { readonly times: Buffer } & { readonly [K in StreamType]?: Buffer | null };

/** A stored chunk in the form of the codec. */
export function chunkOf(row: StoredColumns): Pick<TrackChunk, 'times' | 'columns'> {
  const columns = streamTypes.flatMap((type): [StreamType, string][] => {
    const column = row[type];
    return column === undefined || column === null ? [] : [[type, column.toString('base64')]];
  });
  return { times: row.times.toString('base64'), columns: Object.fromEntries(columns) };
}
