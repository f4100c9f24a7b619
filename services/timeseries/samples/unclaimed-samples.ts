import { encodeTimes, encodeValues } from '../../../domain/records/sample-codec.ts';
import { type SeriesType, seriesById, seriesOf } from '../../../domain/records/series.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { isProviderName, providers } from '../../../providers/all.ts';
import { insertActivityBlocks } from '../queries/activity-blocks.ts';
import { activitySeries } from './activity-samples.ts';
import type { DayInstants } from './day-instants.ts';
import {
  selectUnclaimed,
  selectUnclaimedSamples,
  type Unclaimed,
  type UnclaimedSeriesRow,
  type UnclaimedWorkout,
} from './queries/unclaimed-samples.ts';

/*
 * Samples that were stored before activity samples were stored separately (series.unclaimed_until). In series that only
 * activities write, samples within exactly one activity are assigned to it. In other series (the heart rate of the
 * device maker, which days write too) such samples stay.
 */

function sendsActivitiesOnly(provider: string): boolean {
  return isProviderName(provider) && providers[provider].sampleSources === 'activities';
}

function isShared(type: SeriesType | undefined, provider: string): boolean {
  return type === 'heart_rate' && !sendsActivitiesOnly(provider);
}

/** Claims the samples of an activity that was stored before, so that they can be hidden or deleted with it. */
export async function claimSamples(
  transaction: Queryable,
  userId: string,
  provider: string,
  workout: UnclaimedWorkout,
): Promise<void> {
  const types = [...activitySeries].filter((type) => !isShared(type, provider));
  const typeIds = types.map((type) => seriesOf(type).id);
  const rows = await selectUnclaimedSamples(transaction, userId, provider, workout, typeIds);
  const data_type = sendsActivitiesOnly(provider) ? 'activities' : 'activityDetails';
  const blocks = rows.map(({ times, values, ...row }) => ({
    ...{ ...row, data_type, key: workout.key, hash: '', part: 0, placed_by: null },
    times: encodeTimes(times.map(Math.round)),
    vals: encodeValues(values),
  }));
  await insertActivityBlocks(transaction, userId, provider, blocks);
}

/** Whether a sample may come from an unknown record. */
export type IsUnclaimed = (seriesId: number, ms: number) => boolean;

/** Finds out for instants of activity samples whether another record may have written the sample too. */
export async function unclaimedSamples(
  transaction: Queryable,
  whose: Unclaimed,
  days: readonly DayInstants[],
): Promise<IsUnclaimed> {
  const ids = [...new Set(days.map(({ series_id }) => series_id))];
  const first = Math.min(...days.map(({ times }) => times[0] ?? Number.POSITIVE_INFINITY));
  const last = Math.max(...days.map(({ times }) => times.at(-1) ?? Number.NEGATIVE_INFINITY));
  const rows = await selectUnclaimed(transaction, whose, ids, first, last);
  const byId = new Map(rows.map((row) => [row.series_id, row]));
  return (seriesId, ms) => mayBeOthers(byId.get(seriesId), whose.provider, ms);
}

function mayBeOthers(series: UnclaimedSeriesRow | undefined, provider: string, ms: number): boolean {
  if (series === undefined || ms >= series.until_ms) return false;
  if (isShared(seriesById(series.type_id)?.type, provider)) return true;
  return series.spans.some(([start, end]) => ms >= start && ms <= end);
}
