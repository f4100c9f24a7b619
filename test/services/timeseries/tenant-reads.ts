import { hourMs } from '../../../domain/time/time.ts';
import type { Setting } from './setting.ts';
import { bedtime } from './tenant-steps.ts';

/** All that the API and exports return of a user, without ids. */
export async function readAll({ call, userId: user_id }: Setting): Promise<unknown[]> {
  const range = { user_id, start_date: '2026-02-20', end_date: '2026-03-10' };
  const days = {
    user_id,
    first_date: '2026-02-20',
    last_date: '2026-03-10',
    after: null,
    order: 'asc' as const,
  };
  const times = { user_id, start_time: '2026-02-20', end_time: '2026-03-10' };
  const { data: workouts } = await call('timeseries.workouts', range).catch(() => ({ data: [] }));
  const now_ms = bedtime + 8 * hourMs;
  const answers = await Promise.allSettled([
    ...(['raw', '1min', '1hour'] as const).map((resolution) =>
      call('timeseries.samples', { ...times, types: ['heart_rate', 'steps'], resolution, limit: 100 }),
    ),
    ...workouts.flatMap(({ id: event_id }) => [
      call('timeseries.workout', { user_id, event_id }),
      call('timeseries.workoutTrack', { user_id, event_id }),
    ]),
    call('timeseries.sleeps', range),
    call('timeseries.others', range),
    call('timeseries.calendar', { ...range, counts: true }),
    call('timeseries.activityDays', { ...days, limit: 10, parts: true }),
    call('timeseries.dayValues', { ...days, limit: 10, provider: null }),
    call('timeseries.scores', range),
    call('timeseries.nights', { ...days, limit: 10 }),
    call('timeseries.bodyFacts', { user_id, now_ms, period_days: 7, window_hours: 24 }),
    call('timeseries.chart', { ...times, types: ['heart_rate', 'steps', 'weight'], max_points: 10 }),
    ...(['workout', 'sleep', 'day', 'day_values', 'score', 'other'] as const).map((kind) =>
      call('timeseries.exportRecords', { user_id, kind, after: null, limit: 100 }),
    ),
    call('timeseries.exportSeries', { user_id }).then((series) =>
      series.map(({ type, source }) => `${type} ${source.provider} ${source.device}`).toSorted(),
    ),
    call('timeseries.exportTracks', { user_id, after: null, since_ms: 0, limit: 100 }),
    call('timeseries.sourcePriority', { user_id }),
    call('timeseries.routePrivacy', { user_id }),
  ]);
  return [workouts, ...answers.map((one) => (one.status === 'fulfilled' ? one.value : one.reason?.type))].map(
    withoutIds,
  );
}

const ids = new Set(['id', 'series_id', 'next_cursor', 'previous_cursor']);
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** An answer without ids of rows. */
export function withoutIds(answer: unknown): unknown {
  const text = JSON.stringify(answer ?? null, (key, value) => (ids.has(key) ? null : value));
  return JSON.parse(text.replaceAll(uuid, 'an id'));
}
