import type { Config } from '../../config.ts';
import { timeseries } from '../../contracts/timeseries.ts';
import { recordNotFound } from '../../domain/errors.ts';
import type { AuditOrigin } from '../../mixins/audit.ts';
import { type Database, database } from '../../mixins/database.ts';
import type { Call } from '../../mixins/environment.ts';
import { implement } from '../../mixins/implement.ts';
import { metricsOf } from '../../mixins/metrics.ts';
import { readBody } from './body.ts';
import { completeWorkouts } from './complete-workouts.ts';
import { activityDays } from './days.ts';
import {
  type Deletion,
  type DeletionResult,
  deleteWorkout,
  hideWorkout,
  restoreWorkout,
} from './delete-workout.ts';
import { readSeries, seriesInRange } from './download.ts';
import { erasure, markErased } from './erasure.ts';
import { readEvents } from './events.ts';
import { exportRecords, exportSeries } from './export.ts';
import { readNights } from './nights.ts';
import { otherEvents, otherToWire } from './other-records.ts';
import { markPurged, reopen } from './purge.ts';
import { type DatePlace, selectActivityDays } from './queries/select-activity-days.ts';
import { selectEvent } from './queries/select-events.ts';
import { selectExportSamples } from './queries/select-export.ts';
import { type OtherRow, otherTable } from './queries/select-others.ts';
import { selectSedentary } from './queries/select-sedentary.ts';
import { type SleepRow, sleepTable } from './queries/select-sleeps.ts';
import { type WorkoutRow, workoutTable } from './queries/select-workouts.ts';
import { upsertSeriesTypes } from './queries/upsert-series-types.ts';
import { keptFrom, startRetention } from './retention.ts';
import { readSamples } from './samples.ts';
import { type Settings, settings } from './settings.ts';
import { store } from './store.ts';
import { type InTurn, inTurn } from './turns.ts';
import { sleepToWire, workoutToWire } from './wire.ts';

const workouts = (given: Settings) => ({
  table: workoutTable,
  toWire: (row: WorkoutRow) => workoutToWire(row, given),
  complete: completeWorkouts,
});

const sleeps = (given: Settings) => ({
  table: sleepTable,
  toWire: (row: SleepRow) => sleepToWire(row, given),
});

interface DayRange {
  readonly user_id: string;
  readonly first_date: string;
  readonly last_date: string;
  readonly after: string | null;
  readonly order: 'asc' | 'desc';
}

const placeOf = ({ user_id, first_date, last_date, after, order }: DayRange): DatePlace => ({
  userId: user_id,
  firstDate: first_date,
  lastDate: last_date,
  after,
  order,
});

// Users are not ours: whether one exists is asked only where there is nothing to show.
async function unlessUnknown<T extends { data: readonly unknown[] }>(page: T, call: Call, userId: string) {
  if (page.data.length === 0) await call('users.get', { user_id: userId });
  return page;
}

interface WorkoutContext {
  readonly params: Deletion;
  readonly database: Database;
  readonly settings: Settings;
  readonly inTurn: InTurn;
  readonly config: Config;
  readonly origin: AuditOrigin;
}

function changeWorkout(
  { params, database, settings, inTurn, config, origin }: WorkoutContext,
  change: typeof deleteWorkout,
): Promise<DeletionResult> {
  const circumstances = {
    how: config.EVENT_DELETE,
    sourcePriority: settings.sourcePriority,
    firstDay: keptFrom(Date.now(), config.SAMPLE_RETENTION_DAYS),
    origin,
  };
  return inTurn(params.user_id, () => change(database, params, circumstances));
}

/** All stored health data: stored in transactions under the user's lock, read by keyset pages. */
export default implement(timeseries, {
  uses: {
    database: database(),
    pages: database('once'),
    settings: settings(),
    erasure: erasure(),
    inTurn: inTurn(),
  },
  actions: {
    async samples({ params, pages, settings, call }) {
      return unlessUnknown(await readSamples(pages, settings, params), call, params.user_id);
    },
    async workouts({ params, pages, settings, call }) {
      const query = { ...params, type: params.record_type };
      return unlessUnknown(await readEvents(pages, workouts(settings), query), call, params.user_id);
    },
    async workout({ params, database, settings }) {
      const { user_id, event_id } = params;
      const stored = await selectEvent<WorkoutRow>(database, workoutTable, user_id, event_id);
      const [row] = stored === undefined ? [] : await completeWorkouts(database, user_id, [stored]);
      if (row === undefined) throw recordNotFound(event_id);
      return { ...workoutToWire(row, settings), private: row.private };
    },
    async sleeps({ params, pages, settings, call }) {
      return unlessUnknown(await readEvents(pages, sleeps(settings), params), call, params.user_id);
    },
    async sleep({ params, database, settings }) {
      const row = await selectEvent<SleepRow>(database, sleepTable, params.user_id, params.event_id);
      if (row === undefined) throw recordNotFound(params.event_id);
      return sleepToWire(row, settings);
    },
    async others({ params, pages, settings, call }) {
      return unlessUnknown(await readEvents(pages, otherEvents(settings), params), call, params.user_id);
    },
    async other({ params, database, settings }) {
      const row = await selectEvent<OtherRow>(database, otherTable, params.user_id, params.event_id);
      if (row === undefined) throw recordNotFound(params.event_id);
      return otherToWire(row, settings);
    },
    async activityDays({ params, database }) {
      const rows = await selectActivityDays(database, placeOf(params), params.limit);
      const dates = [...new Set(rows.map(({ date }) => date))];
      const sedentary = await selectSedentary(database, params.user_id, dates);
      return activityDays(rows, sedentary, params.parts);
    },
    nights({ params, database }) {
      return readNights(database, placeOf(params), params.limit);
    },
    bodyFacts({ params, database }) {
      return readBody(database, params);
    },
    store({ params, database, settings, inTurn, broker, config, origin }) {
      const nowMs = Date.now();
      const firstDay = keptFrom(nowMs, config.SAMPLE_RETENTION_DAYS);
      const circumstances = { sourcePriority: settings.sourcePriority, nowMs, firstDay, origin };
      return inTurn(params.user_id, async () => {
        const outcomes = await store(database, params, circumstances);
        const written = outcomes.reduce((sum, { samples_written }) => sum + samples_written, 0);
        metricsOf(broker).count('pulsebus_samples_stored_total', { provider: params.provider }, written);
        return outcomes;
      });
    },
    exportRecords({ params, database, settings }) {
      return exportRecords(database, settings, params);
    },
    exportSeries({ params, database, settings }) {
      return exportSeries(database, settings, params.user_id);
    },
    exportSamples({ params, database }) {
      return selectExportSamples(database, params.user_id, params.series_id, params.after, params.limit);
    },
    seriesInRange({ params, database, settings }) {
      return seriesInRange(database, settings, params);
    },
    readSeries({ params, database }) {
      return readSeries(database, params);
    },
    async purge({ params, database, settings, erasure }) {
      const purging = await markPurged(database, params, settings.sourcePriority);
      erasure.wake();
      return { purging };
    },
    async reopen({ params, database, erasure }) {
      await reopen(database, params);
      erasure.wake(); // it passes by what somebody else holds, as this did
      return { open: true as const };
    },
    deleteWorkout: (ctx) => changeWorkout(ctx, deleteWorkout),
    hideWorkout: (ctx) => changeWorkout(ctx, hideWorkout),
    restoreWorkout: (ctx) => changeWorkout(ctx, restoreWorkout),
    async erase({ params, database, erasure }) {
      await markErased(database, params.user_id);
      erasure.wake();
      return { erasing: true as const };
    },
  },
  async started({ database, config, logger }) {
    await upsertSeriesTypes(database);
    return startRetention({ database, days: config.SAMPLE_RETENTION_DAYS, logger });
  },
});
