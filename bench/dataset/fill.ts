import type pg from 'pg';
import { dayMs } from '../../domain/time/time.ts';
import { databaseOf } from '../../mixins/database/database.ts';
import { upsertSeriesTypes } from '../../services/timeseries/tables/series.ts';
import { progressOf } from '../../stack/machine/progress.ts';
import { insertDays } from './insert-records.ts';
import { insertSamples, insertSeries, type StoredCohort } from './insert-samples.ts';
import { insertUsers } from './insert-users.ts';
import { type Plan, samplesIn, startMs } from './plan.ts';

interface Span {
  readonly cohort: StoredCohort;
  readonly from: number;
  readonly to: number;
}

const weekMs = 7 * dayMs;

/** Fills an empty database with a data set. */
export async function fill(pool: pg.Pool, plan: Plan, say: (line: string) => void): Promise<void> {
  await upsertSeriesTypes(databaseOf(pool));
  const { hertzId, minuteId, totalsId, ordinaryIds, sizes } = plan;
  await insertUsers(pool, sizes.users, [hertzId, minuteId, totalsId, ...ordinaryIds]);
  await insertDays(pool, plan);
  await fillSamples(pool, plan, say);
  await pool.query('analyze');
}

/**
 * Inserts samples by week and user, as they would arrive, over two connections. Neighbouring weeks share a local day,
 * whose statistics two statements must not lock in different orders. The second connection therefore inserts other
 * series, then the other end of the year.
 */
async function fillSamples(pool: pg.Pool, plan: Plan, say: (line: string) => void): Promise<void> {
  const progress = progressOf('Building', 'samples', say);
  const total = samplesIn(plan);
  let done = 0;
  const add = async ({ cohort, from, to }: Span) => {
    done += await insertSamples(pool, cohort, from, to);
    progress.update(done, total);
  };
  const hertz = weeksOf(plan, [await insertSeries(pool, plan.hertz)]);
  const cohorts: StoredCohort[] = [];
  for (const cohort of plan.others) cohorts.push(await insertSeries(pool, cohort));
  const others = weeksOf(plan, cohorts);
  const first = async () => {
    for (let span = hertz.shift(); span !== undefined; span = hertz.shift()) await add(span);
  };
  const second = async () => {
    for (const span of others) await add(span);
    for (let span = hertz.pop(); span !== undefined; span = hertz.pop()) await add(span);
  };
  await Promise.all([first(), second()]).finally(progress.stop);
}

function weeksOf({ endMs }: Plan, cohorts: readonly StoredCohort[]): Span[] {
  const spans: Span[] = [];
  for (let from = startMs; from < endMs; from += weekMs)
    for (const cohort of cohorts) spans.push({ cohort, from, to: Math.min(from + weekMs, endMs) });
  return spans;
}
