import type { StoreItem } from '../../../domain/records/records.ts';
import {
  decodeTimes,
  decodeValues,
  encodeTimes,
  encodeValues,
} from '../../../domain/records/sample-codec.ts';
import { type StreamType, streamTypes, type Track, type TrackChunk } from '../../../domain/workouts/track.ts';
import { decodeChunk, encodeChunk } from '../../../domain/workouts/track-codec.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { clockSpan, type TimedSpan, type WorkoutParts } from '../rules/merge-workouts.ts';
import type { UserProvider } from '../rules/sources.ts';
import {
  type BlockRow,
  type DayInstants,
  dayOf,
  deleteBlock,
  selectBlocksOf,
  updateBlock,
} from '../tables/activity-blocks.ts';
import {
  type ChunkRow,
  deleteChunk,
  selectWholeTrack,
  type TrackOwner,
  updateChunk,
} from '../tables/tracks.ts';
import { selectCropped, updateParts } from '../tables/workouts.ts';

/*
 * The device maker sends an activity and its details separately. When a user crops an activity, the device maker sends
 * both again in any order, or the activity alone. Repeated details replace their samples. Until they arrive, samples
 * outside of the cropped activity are removed. A shorter span alone does not mean a crop: an activity without its
 * pauses is shorter than its details.
 */

/** Whether a workout counts as cropped after a data type sent its span. */
export function isCropped(
  dataType: string,
  sent: TimedSpan,
  stored: { readonly parts: WorkoutParts; readonly cropped: boolean } | undefined,
): boolean {
  const former = stored?.parts[dataType];
  if (stored === undefined || former === undefined || dataType !== 'activities')
    return stored?.cropped ?? false;
  if (exceeds(sent, former)) return false;
  return exceeds(former, sent) || stored.cropped;
}

function exceeds(a: TimedSpan, b: TimedSpan): boolean {
  return a.start_ms < b.start_ms || a.end_ms > b.end_ms;
}

/** Removes the samples of details outside of cropped activities. Returns their instants. */
export async function cropActivities(
  transaction: Queryable,
  { user_id, provider }: UserProvider,
  activities: readonly StoreItem[],
): Promise<DayInstants[]> {
  const keys = activities.filter(({ more }) => !more).map(({ key }) => key);
  if (keys.length === 0) return [];
  const cut: DayInstants[] = [];
  for (const { id, key, parts } of await selectCropped(transaction, user_id, provider, keys)) {
    const { activities, activityDetails } = parts;
    if (activities === undefined || activityDetails === undefined) continue;
    if (!exceeds(activityDetails, activities)) continue;
    const blocks = await selectBlocksOf(transaction, { user_id, provider, key }, 'activityDetails');
    const chunks = await selectWholeTrack(transaction, { user_id, id });
    const tracks = chunks.map((row) => ({ row, track: decodeChunk(chunkOf(row)) }));
    const instants = [
      ...blocks.flatMap(({ times }) => decodeTimes(times)),
      ...tracks.flatMap(({ track }) => track.times),
    ];
    const kept = clockSpan(instants, activityDetails, activities);
    await cropTrack(transaction, { user_id, id }, tracks, kept);
    cut.push(...(await cropBlocks(transaction, blocks, kept)));
    const remaining = { ...activityDetails, ...common(activityDetails, activities) };
    await updateParts(transaction, { user_id, id }, { ...parts, activityDetails: remaining });
  }
  return cut;
}

// The next crop finds the pauses by the duration of the remaining details.
function common(a: TimedSpan, b: TimedSpan): TimedSpan {
  return { start_ms: Math.max(a.start_ms, b.start_ms), end_ms: Math.min(a.end_ms, b.end_ms) };
}

async function cropBlocks(
  transaction: Queryable,
  blocks: readonly BlockRow[],
  { start_ms, end_ms }: TimedSpan,
): Promise<DayInstants[]> {
  const cut: DayInstants[] = [];
  for (const { id, series_id, ...block } of blocks) {
    const [times, values] = [decodeTimes(block.times), decodeValues(block.vals)];
    const isKept = (ms: number) => ms >= start_ms && ms <= end_ms;
    const kept = times.filter(isKept);
    if (kept.length === times.length) continue;
    cut.push({ series_id, day: dayOf(times[0] ?? 0), times: times.filter((ms) => !isKept(ms)) });
    const rest = values.filter((_, index) => isKept(times[index] ?? 0));
    if (kept.length === 0) await deleteBlock(transaction, id);
    else await updateBlock(transaction, id, encodeTimes(kept), encodeValues(rest));
  }
  return cut;
}

/** Removes the points of a cropped activity outside of its span. */
async function cropTrack(
  transaction: Queryable,
  owner: TrackOwner,
  tracks: readonly { readonly row: ChunkRow; readonly track: Track }[],
  { start_ms, end_ms }: TimedSpan,
): Promise<void> {
  for (const { row, track } of tracks) {
    const cropped = pointsWithin(track, start_ms, end_ms);
    if (cropped.times.length === track.times.length) continue;
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
