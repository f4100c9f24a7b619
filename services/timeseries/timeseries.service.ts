import { timeseries } from '../../contracts/timeseries.ts';
import { recordNotFound } from '../../domain/errors.ts';
import { database } from '../../mixins/database/database.ts';
import { reads } from '../../mixins/database/reads.ts';
import { receivedCounts } from '../../mixins/inbox/received-counts.ts';
import { jobs } from '../../mixins/jobs/jobs.ts';
import { implement } from '../../runtime/implement.ts';
import { clocksHandler } from './clocks/settle-clocks.ts';
import { compressionHandler } from './compression/compression.ts';
import { selectSampleBytes } from './compression/queries/select-sample-bytes.ts';
import { dateCursorOf, readActivityDays } from './days/activity-days.ts';
import { readBody } from './days/body.ts';
import { readCalendar } from './days/calendar.ts';
import { readDayValues } from './days/day-values.ts';
import { readKindDays } from './days/kind-days.ts';
import { readNights } from './days/nights.ts';
import { readComputedScores, readScores } from './days/scores.ts';
import { nightMeansHandler } from './days/settle-nights.ts';
import { summaryTypes } from './days/summary-types.ts';
import { readDayFacts, readGlucose } from './insights/day-facts.ts';
import { selectDaySpan } from './insights/queries/select-day-span.ts';
import { intervalHandlers } from './intervals/interval-handlers.ts';
import { rankedByHandler, settlementHandler } from './intervals/settlement.ts';
import { changeSourcePriority, readSourcePriority } from './intervals/source-priority.ts';
import { keyedMutex } from './keyed-mutex.ts';
import { observedSources, readObserved, readObservedItem } from './observed/observed.ts';
import { replaceSummaryTypes } from './queries/replace-summary-types.ts';
import { selectEvent } from './queries/select-events.ts';
import { selectItemSpans } from './queries/select-item-spans.ts';
import { selectWorkoutKeys } from './queries/select-workout-keys.ts';
import { type WorkoutRow, workoutTable } from './queries/select-workouts.ts';
import { upsertSeriesTypes } from './queries/upsert-series-types.ts';
import { readEvents } from './records/events.ts';
import { otherEvents, otherToWire } from './records/other-records.ts';
import { type OtherRow, otherTable } from './records/queries/select-others.ts';
import { type DetailedSleepRow, detailedSleepTable } from './records/queries/select-sleeps.ts';
import { type StagedSleepRow, stagedSleepTable, stagesToWire } from './records/sleep-stages.ts';
import { readSleeps } from './records/sleeps.ts';
import { storeHandlers } from './records/store-handlers.ts';
import { detailedSleepToWire, workoutToWire } from './records/wire.ts';
import { deleteItems } from './removal/delete-items.ts';
import { markErased } from './removal/erasure.ts';
import { exportRecords, exportSeries } from './removal/export.ts';
import { keptDaysOfUsers } from './removal/kept-days-of-user.ts';
import { markPurged, reopen } from './removal/purge.ts';
import { selectExportSamples } from './removal/queries/select-export.ts';
import { removalHandlers } from './removal/removal-handlers.ts';
import { retentionHandlers } from './removal/retention-actions.ts';
import { readChart } from './samples/chart/chart.ts';
import { readSeries, seriesInRange } from './samples/download.ts';
import { readSamples } from './samples/samples.ts';
import { type Settings, settings } from './settings.ts';
import { routeCutHandler } from './tracks/route-privacy.ts';
import { trackHandlers } from './tracks/track-handlers.ts';
import { unlessUnknown } from './unless-unknown.ts';
import { completeWorkouts } from './workouts/complete-workouts.ts';
import { deleteWorkout } from './workouts/delete-workout.ts';

const workouts = (given: Settings) => ({
  table: workoutTable,
  toWire: (row: WorkoutRow) => workoutToWire(row, given),
  complete: completeWorkouts,
});

/** All stored health data. Writes are transactions under the user's lock, reads are keyset pages. */
export default implement(timeseries, {
  uses: {
    database: database(),
    planned: database('once'),
    pages: reads('once'),
    reads: reads(),
    settings: settings(),
    jobs: jobs(),
    keyedMutex: keyedMutex(),
    keptDays: keptDaysOfUsers(),
    received: receivedCounts(),
  },
  actions: {
    sampleBytes: ({ database }) => selectSampleBytes(database),
    async samples({ params, pages, settings, call }) {
      return unlessUnknown(await readSamples(pages, settings, params), call, params.user_id);
    },
    async workouts({ params, pages, settings, call }) {
      const query = { ...params, type: params.record_type };
      return unlessUnknown(await readEvents(pages, workouts(settings), query), call, params.user_id);
    },
    async sleeps({ params, pages, settings, call }) {
      return unlessUnknown(await readSleeps(pages, settings, params), call, params.user_id);
    },
    async sleep({ params, reads: database, settings }) {
      const { user_id, event_id } = params;
      const row = await selectEvent<DetailedSleepRow>(database, detailedSleepTable, user_id, event_id);
      if (row === undefined) throw recordNotFound(event_id);
      return detailedSleepToWire(row, settings);
    },
    async sleepStages({ params: { user_id, event_id }, reads: database, settings }) {
      const row = await selectEvent<StagedSleepRow>(database, stagedSleepTable, user_id, event_id);
      if (row === undefined) throw recordNotFound(event_id);
      return stagesToWire(row, settings);
    },
    async others({ params, pages, settings, call }) {
      return unlessUnknown(await readEvents(pages, otherEvents(settings), params), call, params.user_id);
    },
    async other({ params, reads: database, settings }) {
      const row = await selectEvent<OtherRow>(database, otherTable, params.user_id, params.event_id);
      if (row === undefined) throw recordNotFound(params.event_id);
      return otherToWire(row, settings);
    },
    async calendar({ params, reads: database, call }) {
      return unlessUnknown(await readCalendar(database, params), call, params.user_id);
    },
    activityDays: ({ params, pages }) => readActivityDays(pages, params),
    dayValues: ({ params, reads: database }) =>
      readDayValues(database, dateCursorOf(params), params.provider, params.limit),
    async scores({ params, pages, settings, call }) {
      const computed = await readComputedScores(call, params);
      const page = await unlessUnknown(await readScores(pages, settings, params), call, params.user_id);
      return { ...page, ...computed };
    },
    kindDays: ({ params, reads: database }) => readKindDays(database, params),
    nights: ({ params, pages }) => readNights(pages, dateCursorOf(params), params.limit),
    bodyFacts: ({ params, reads: database }) => readBody(database, params),
    dayFacts: ({ params, planned }) => readDayFacts(planned, params),
    daySpan: ({ params, database }) => selectDaySpan(database, params),
    glucoseValues: ({ params, reads: database }) => readGlucose(database, params),
    itemSpans: ({ params, database }) => selectItemSpans(database, params),
    workoutKeys: ({ params, database }) => selectWorkoutKeys(database, params),
    ...storeHandlers,
    ...intervalHandlers,
    ...trackHandlers,
    async sourcePriority({ params: { user_id }, database, settings, call }) {
      await call('users.get', { user_id });
      return readSourcePriority(database, settings.sourceOrder, user_id);
    },
    async changeSourcePriority({ params, database, settings, jobs, call, origin }) {
      await call('users.get', { user_id: params.user_id });
      await changeSourcePriority(database, params, origin);
      jobs.notify();
      return readSourcePriority(database, settings.sourceOrder, params.user_id);
    },
    exportRecords: ({ params, reads: database, settings }) => exportRecords(database, settings, params),
    exportSeries: ({ params, reads: database, settings }) => exportSeries(database, settings, params.user_id),
    exportSamples: ({ params: { user_id, series_id, after, limit }, reads: database }) =>
      selectExportSamples(database, user_id, series_id, after, limit),
    observed: ({ params, reads: database, settings }) => readObserved({ database, settings }, params),
    observedItem: ({ params, reads: database, settings }) => readObservedItem({ database, settings }, params),
    observedSources: ({ params, reads, settings }) => observedSources({ database: reads, settings }, params),
    seriesInRange: ({ params, reads: database, settings }) => seriesInRange(database, settings, params),
    readSeries: ({ params, reads: database, settings }) => readSeries(database, settings, params),
    async chart({ params, reads: database, settings, call }) {
      const chart = await readChart(database, settings, params);
      if (chart.series.length === 0) await call('users.get', { user_id: params.user_id });
      return chart;
    },
    async purge({ params, database, settings, jobs }) {
      const purging = await markPurged(database, params, settings.sourcePriority);
      jobs.notify();
      return { purging };
    },
    async reopen({ params, database }) {
      await reopen(database, params);
      return { open: true as const };
    },
    ...retentionHandlers,
    async deleteWorkout({ params, database, settings, keyedMutex, config, keptDays, origin }) {
      const circumstances = {
        how: config.EVENT_DELETE,
        sourcePriority: settings.sourcePriority,
        kept: await keptDays.of(database, params.user_id, Date.now()),
        origin,
      };
      return keyedMutex(params.user_id, () => deleteWorkout(database, params, circumstances));
    },
    deleteItems: ({ params, database }) => deleteItems(database, params),
    async erase({ params, database, jobs }) {
      await markErased(database, params.user_id);
      jobs.notify();
      return { erasing: true as const };
    },
  },
  async started({ database, planned, jobs, config, settings, logger, call }) {
    await upsertSeriesTypes(database);
    await replaceSummaryTypes(database, summaryTypes);
    const settling = { database, order: settings.sourceOrder };
    return jobs.start([
      ...removalHandlers({ ...settling, ...settings, days: config.SAMPLE_RETENTION_DAYS, logger, call }),
      compressionHandler({ database, afterDays: config.SAMPLE_COMPRESS_AFTER_DAYS, logger }),
      settlementHandler(settling),
      clocksHandler(settling),
      rankedByHandler(settling),
      routeCutHandler(database),
      nightMeansHandler(planned),
    ]);
  },
});
