import { timeseries } from '../../contracts/timeseries.ts';
import { database } from '../../mixins/database/database.ts';
import { reads } from '../../mixins/database/reads.ts';
import { receivedCounts } from '../../mixins/inbox/received-counts.ts';
import { jobs } from '../../mixins/jobs/jobs.ts';
import { implement } from '../../runtime/implement.ts';
import { projectOf } from '../../runtime/user-project.ts';
import { readBody, summaryTypes } from './actions/body.ts';
import { readCalendar } from './actions/calendar.ts';
import { readChart } from './actions/chart.ts';
import { readActivityDays, readDayValues, readKindDays } from './actions/days.ts';
import { deleteItems, deleteWorkout } from './actions/deletions.ts';
import { exportRecords, exportSeries, readSeries, seriesInRange } from './actions/downloads.ts';
import {
  detailedSleepToWire,
  otherEvents,
  otherToWire,
  readEvents,
  readSleeps,
  stagesToWire,
  workoutToWire,
} from './actions/events.ts';
import { observedSources, readObserved, readObservedItem } from './actions/fhir-observations.ts';
import { readDayFacts, readGlucose } from './actions/insights.ts';
import { readNights } from './actions/nights.ts';
import { changedRule, changeRetention, countExpired, readRetention } from './actions/retention.ts';
import { readSamples, unlessUnknown } from './actions/samples.ts';
import { readComputedScores, readScores } from './actions/scores.ts';
import { changeSourcePriority, readSourcePriority } from './actions/source-priority.ts';
import { keyedMutex, storeHandlers } from './actions/store.ts';
import { chunkToWire, completeWorkouts, readTrackHead, readWorkout } from './actions/workouts.ts';
import { type Settings, settings } from './rules/sources.ts';
import { selectSampleBytes } from './tables/chunks.ts';
import {
  type DetailedSleepRow,
  detailedSleepTable,
  type OtherRow,
  otherTable,
  selectEvent,
  selectItemSpans,
  type WorkoutRow,
  workoutTable,
} from './tables/events.ts';
import { selectExportSamples } from './tables/export.ts';
import { selectDaySpan } from './tables/facts.ts';
import { deleteRule } from './tables/retention.ts';
import { replaceSummaryTypes, upsertSeriesTypes } from './tables/series.ts';
import { selectChunks, selectTrackedIds } from './tables/tracks.ts';
import { selectWorkoutKeys } from './tables/workouts.ts';
import { compressionHandler } from './work/compression.ts';
import { erasureHandler, markErased, markPurged, purgeHandler, reopen } from './work/erasure.ts';
import { keptDaysOfUsers } from './work/kept-days.ts';
import { nightMeansHandler } from './work/night-means.ts';
import { retentionHandler } from './work/retention.ts';
import {
  changeRoutePrivacy,
  readRoutePrivacy,
  readRouteRules,
  routeCutHandler,
} from './work/route-privacy.ts';
import { clocksHandler } from './work/settle-clocks.ts';
import { rankedByHandler, settlementHandler } from './work/settle-intervals.ts';

const workouts = (settings: Settings) => ({
  table: workoutTable,
  toWire: (row: WorkoutRow) => workoutToWire(row, settings),
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
      return detailedSleepToWire(row, settings);
    },
    async sleepStages({ params: { user_id, event_id }, reads: database, settings }) {
      const row = await selectEvent<DetailedSleepRow>(database, detailedSleepTable, user_id, event_id);
      return stagesToWire(row, settings);
    },
    async others({ params, pages, settings, call }) {
      return unlessUnknown(await readEvents(pages, otherEvents(settings), params), call, params.user_id);
    },
    async other({ params, reads: database, settings }) {
      const row = await selectEvent<OtherRow>(database, otherTable, params.user_id, params.event_id);
      return otherToWire(row, settings);
    },
    async calendar({ params, reads: database, call }) {
      return unlessUnknown(await readCalendar(database, params), call, params.user_id);
    },
    activityDays: ({ params, pages }) => readActivityDays(pages, params),
    dayValues: ({ params, reads: database }) => readDayValues(database, params),
    async scores({ params, pages, settings, call }) {
      const computed = await readComputedScores(call, params);
      const page = await unlessUnknown(await readScores(pages, settings, params), call, params.user_id);
      return { ...page, ...computed };
    },
    kindDays: ({ params, reads: database }) => readKindDays(database, params),
    nights: ({ params, pages }) => readNights(pages, params),
    bodyFacts: ({ params, reads: database }) => readBody(database, params),
    dayFacts: ({ params, planned }) => readDayFacts(planned, params),
    daySpan: ({ params, database }) => selectDaySpan(database, params),
    glucoseValues: ({ params, reads: database }) => readGlucose(database, params),
    async itemSpans({ params: { user_id, ...named }, database }) {
      const spans = await selectItemSpans(database, { user_ids: [user_id], ...named });
      return spans.map(({ start_ms, end_ms }) => ({ start_ms, end_ms }));
    },
    findItems: ({ params, database }) => selectItemSpans(database, params),
    workoutKeys: ({ params, database }) => selectWorkoutKeys(database, params),
    ...storeHandlers,
    workout: ({ params, database, settings }) =>
      readWorkout(database, settings, params.user_id, params.event_id),
    workoutTrack: ({ params, database, settings }) =>
      readTrackHead(database, settings, params.user_id, params.event_id),
    async trackChunks({ params, database }) {
      return (await selectChunks(database, params)).map(chunkToWire);
    },
    exportTracks: ({ params, database }) => selectTrackedIds(database, params),
    async routePrivacy({ params: { user_id }, database, config, call }) {
      await call('users.get', { user_id });
      return readRoutePrivacy(database, config.STORE_ROUTES, user_id);
    },
    routeRules: ({ params, database, config }) =>
      readRouteRules(database, config.STORE_ROUTES, params.user_id),
    async changeRoutePrivacy({ params, database, config, call, jobs, origin }) {
      await call('users.get', { user_id: params.user_id });
      await changeRoutePrivacy(database, config.STORE_ROUTES, params, origin);
      jobs.notify();
      return readRoutePrivacy(database, config.STORE_ROUTES, params.user_id);
    },
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
    observed: ({ params, reads: database, settings }) => readObserved(database, settings, params),
    observedItem: ({ params, reads: database, settings }) => readObservedItem(database, settings, params),
    observedSources: ({ params, reads: database, settings }) =>
      observedSources(database, settings, params.user_id),
    seriesInRange: ({ params, reads: database, settings }) => seriesInRange(database, settings, params),
    readSeries: ({ params, reads: database, settings }) => readSeries(database, settings, params),
    async chart({ params, reads: database, settings, call }) {
      const chart = await readChart(database, settings, params);
      if (chart.series.length === 0) await call('users.get', { user_id: params.user_id });
      return chart;
    },
    async purge({ params, database, settings, jobs }) {
      const purging = await markPurged(database, params, settings.sourceOrder);
      jobs.notify();
      return { purging };
    },
    async reopen({ params, database }) {
      await reopen(database, params);
      return { open: true as const };
    },
    retention: ({ database, config, meta }) =>
      readRetention(database, projectOf(meta), config.SAMPLE_RETENTION_DAYS),
    async changeRetention({ params, database, keptDays, config, meta, origin }) {
      await changeRetention(database, projectOf(meta), params, origin);
      keptDays.forget();
      return readRetention(database, projectOf(meta), config.SAMPLE_RETENTION_DAYS);
    },
    async previewRetention({ params, database, call, config, meta }) {
      const rule = await changedRule(database, projectOf(meta), params);
      const counting = { database, call, installationDays: config.SAMPLE_RETENTION_DAYS };
      return countExpired(counting, projectOf(meta), rule, Date.now());
    },
    async forgetProject({ params, database, keptDays }) {
      const deleted = await deleteRule(database, params.project_id);
      keptDays.forget();
      return { deleted };
    },
    async deleteWorkout({ params, database, settings, keyedMutex, config, keptDays, origin }) {
      const circumstances = {
        how: config.EVENT_DELETE,
        order: settings.sourceOrder,
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
      erasureHandler(database),
      purgeHandler(database),
      retentionHandler({ ...settling, days: config.SAMPLE_RETENTION_DAYS, logger, call }),
      compressionHandler({ database, afterDays: config.SAMPLE_COMPRESS_AFTER_DAYS, logger }),
      settlementHandler(settling),
      clocksHandler(settling),
      rankedByHandler(settling),
      routeCutHandler(database),
      nightMeansHandler(planned),
    ]);
  },
});
