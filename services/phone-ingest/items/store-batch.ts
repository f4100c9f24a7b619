import {
  type IntervalRecord,
  type IntervalSource,
  type SummedType,
  SummedTypeName,
} from '../../../domain/interval-records.ts';
import { partsOf } from '../../../domain/item-parts.ts';
import type { StoreItem } from '../../../domain/records.ts';
import type { Database } from '../../../mixins/database.ts';
import { enqueue } from '../../../mixins/job-queue.ts';
import { normaliserVersionOf } from '../../../providers/all.ts';
import type { PhoneRecord } from '../../../providers/phone/normalise/record.ts';
import type { SleepPhase } from '../../../providers/phone/normalise/sleep-phase.ts';
import type { UploadItem } from '../../../providers/phone/upload.ts';
import type { Call } from '../../../runtime/environment.ts';
import { nightsKind } from '../nights/settle-nights.ts';
import { selectDeleted } from '../queries/deleted.ts';
import { type PhaseRow, upsertPhases } from '../queries/phases.ts';
import { insertBlocks } from '../queries/sample-blocks.ts';
import { applyDeletions, type DeletedItem } from './apply-deletions.ts';
import { blocksOf, encodeIds, itemOf } from './sample-blocks.ts';
import type { Tally } from './tally.ts';

/** What storing a batch needs. */
export interface StoreDeps {
  readonly database: Database;
  readonly call: Call;
}

const provider = 'phone';
const normaliser_version = normaliserVersionOf(provider);

/** Stores the items of a batch. Repeating it changes nothing, because every item has a key. */
export async function storeBatch(
  deps: StoreDeps,
  userId: string,
  batch: readonly UploadItem[],
  tally: Tally,
): Promise<void> {
  const parts = sorted(batch, tally);
  await applyDeletions(deps, userId, parts.deleted);
  const ids = [...parts.samples, ...parts.phases]
    .map(({ id }) => id)
    .concat(parts.workouts.map(({ key }) => key));
  const gone = await selectDeleted(deps.database, userId, ids);
  const kept = <T extends { readonly id: string }>(items: readonly T[]) =>
    items.filter(({ id }) => !gone.has(id));
  await storeSamples(deps, userId, kept(parts.samples));
  await storeIntervals(deps, userId, parts.intervals, tally);
  await storeWorkouts(
    deps,
    userId,
    parts.workouts.filter(({ key }) => !gone.has(key)),
  );
  await storePhases(deps, userId, kept(parts.phases));
  tally.stored += parts.deleted.length + parts.samples.length + parts.phases.length + parts.workouts.length;
}

interface Parts {
  readonly samples: PhoneRecord[];
  readonly intervals: PhoneRecord[];
  readonly phases: SleepPhase[];
  readonly workouts: StoreItem[];
  readonly deleted: DeletedItem[];
}

function sorted(batch: readonly UploadItem[], tally: Tally): Parts {
  const parts: Parts = { samples: [], intervals: [], phases: [], workouts: [], deleted: [] };
  for (const item of batch) {
    if (item.list === 'records')
      parts[item.record.kind === 'sample' ? 'samples' : 'intervals'].push(item.record);
    else if (item.list === 'sleep') parts.phases.push(item.phase);
    else if (item.list === 'workouts') parts.workouts.push(item.workout);
    else if (item.list === 'deleted') parts.deleted.push(item);
    else if (item.list === 'unmapped') tally.addUnmapped(item.type);
    else tally.addProblem(item);
  }
  return parts;
}

// The ids are kept before the samples are stored, so that no stored sample lacks its id.
async function storeSamples({ database, call }: StoreDeps, userId: string, samples: readonly PhoneRecord[]) {
  if (samples.length === 0) return;
  const blocks = blocksOf(samples);
  const rows = blocks.map((one) => ({ series: one.block.type, device: one.block.device, ...encodeIds(one) }));
  await insertBlocks(database, userId, rows);
  await call('timeseries.store', {
    ...{ user_id: userId, provider, normaliser_version },
    items: [itemOf(blocks)],
  });
}

/** About 200 kB of JSON. */
const intervalsPerCall = 1000;

async function storeIntervals(
  { call }: StoreDeps,
  userId: string,
  records: readonly PhoneRecord[],
  tally: Tally,
) {
  for (let at = 0; at < records.length; at += intervalsPerCall) {
    const given = withSources(records.slice(at, at + intervalsPerCall));
    const { ignored_ids } = await call('timeseries.storeIntervals', { user_id: userId, provider, ...given });
    tally.stored += given.intervals.length - ignored_ids.length;
  }
}

function withSources(records: readonly PhoneRecord[]) {
  const sources: IntervalSource[] = [];
  const places = new Map<string, number>();
  const placeOf = (source: IntervalSource) => {
    const key = JSON.stringify(source);
    const place = places.get(key) ?? sources.push(source) - 1;
    places.set(key, place);
    return place;
  };
  const intervals = records.map(
    ({ id, series, source, start_ms, end_ms, value, zone_offset_minutes }): IntervalRecord => ({
      ...{ id, type: summed(series), source: placeOf(source), start_ms, end_ms, value, zone_offset_minutes },
    }),
  );
  return { sources, intervals };
}

function summed(series: string): SummedType {
  return SummedTypeName.parse(series);
}

const bytesPerCall = 200_000;

async function storeWorkouts({ call }: StoreDeps, userId: string, workouts: readonly StoreItem[]) {
  for (const items of inCalls(workouts.flatMap((workout) => partsOf(workout))))
    await call('timeseries.store', { user_id: userId, provider, normaliser_version, items });
}

function inCalls(items: readonly StoreItem[]): StoreItem[][] {
  const calls: StoreItem[][] = [];
  let bytes = bytesPerCall;
  for (const item of items) {
    const size = JSON.stringify(item).length;
    if (bytes + size > bytesPerCall) calls.push([]);
    bytes = bytes + size > bytesPerCall ? size : bytes + size;
    calls.at(-1)?.push(item);
  }
  return calls;
}

async function storePhases({ database }: StoreDeps, userId: string, phases: readonly SleepPhase[]) {
  if (phases.length === 0) return;
  await database.transaction(async (transaction) => {
    if ((await upsertPhases(transaction, userId, phases.map(rowOf))) > 0)
      await enqueue(transaction, nightsKind, { key: userId, payload: { user_id: userId } });
  });
}

function rowOf({ source, ...phase }: SleepPhase): PhaseRow {
  const { device, device_type, device_id, app } = source;
  return { ...phase, device, device_type, source: JSON.stringify([device_id ?? device, app]) };
}
