import type { FieldTable } from '../../../domain/provider/field-table.ts';
import { decodeChunk } from '../../../domain/workouts/track-codec.ts';
import { type AppleElement, readAppleRecord } from '../../../providers/file/apple.ts';
import { readAppleWorkout } from '../../../providers/file/apple-workout.ts';
import type { ArchiveKind } from '../../../providers/file/archives.ts';
import { readRow } from '../../../providers/file/csv.ts';
import type { Entry } from '../../../providers/file/entry.ts';
import { fields } from '../../../providers/file/fields.ts';
import { fitActivities, mostSessions } from '../../../providers/file/fit.ts';
import { fitHealth } from '../../../providers/file/fit-health.ts';
import { noMessages } from '../../../providers/file/fit-reader.ts';
import { fitbit } from '../../../providers/file/fitbit/fitbit.ts';
import { readActivity } from '../../../providers/file/garmin/activities.ts';
import { readDay } from '../../../providers/file/garmin/days.ts';
import { readHydration } from '../../../providers/file/garmin/hydration.ts';
import {
  biometricReader,
  bloodPressureReader,
  healthReader,
  maxMetReader,
  readReadiness,
} from '../../../providers/file/garmin/measurements.ts';
import { nightReader } from '../../../providers/file/garmin/nights.ts';
import { healthAutoExport } from '../../../providers/file/health-auto-export/document.ts';
import { ouraData } from '../../../providers/file/oura/archive.ts';
import { pointOf, recordingOf } from '../../../providers/file/points.ts';
import { polarFlow } from '../../../providers/file/polar-flow/archive.ts';
import { readRecording } from '../../../providers/file/recording.ts';
import { samsungHealth } from '../../../providers/file/samsung-health/archive.ts';
import { readStravaActivity } from '../../../providers/file/strava-archive/activity.ts';
import { recordingOf as recordingOfRow } from '../../../providers/file/strava-archive/archive.ts';
import { whoopData } from '../../../providers/file/whoop/archive.ts';
import { withingsData } from '../../../providers/file/withings/archive.ts';
import { zepp } from '../../../providers/file/zepp/archive.ts';
import { nightsOf } from '../../../services/file-import/rules/batch.ts';
import * as files from '../../fixtures/files.ts';
import * as fitbitMembers from '../../fixtures/fitbit.ts';
import * as garmin from '../../fixtures/garmin-account.ts';
import * as autoExport from '../../fixtures/health-auto-export.ts';
import * as oura from '../../fixtures/oura-data.ts';
import * as polar from '../../fixtures/polar-flow.ts';
import * as samsung from '../../fixtures/samsung-health.ts';
import * as whoopRows from '../../fixtures/whoop-data.ts';
import * as withings from '../../fixtures/withings-data.ts';
import * as zeppRows from '../../fixtures/zepp.ts';
import { common, intervalRows, itemRows, readableOf, trackRows } from './readable.ts';
import type { FieldCase } from './removal.ts';

const nowMs = files.filesNowMs;
const rules = { stores: true, zones: [], version: 1 };
const given = (item: unknown) => Object(item);

// Parts that an element lacks have no field.
function bare({ name, attributes, metadata, children }: AppleElement): object {
  return {
    ...{ name, attributes },
    ...(metadata === null ? {} : { metadata }),
    ...(children === null ? {} : { children: children.map(bare) }),
  };
}

function whole(item: unknown): AppleElement {
  const { name = '', attributes = {}, metadata = null, children = [] } = given(item);
  return { name, attributes, metadata, children: children.map(whole) };
}

function rowsOf(entry: Entry | null) {
  if (entry?.kind === 'item')
    return [...itemRows(entry.item), ...entry.item.track.flatMap((chunk) => trackRows(decodeChunk(chunk)))];
  if (entry?.kind !== 'record') return [];
  const { kind: _, series, source, ...span } = entry.record;
  const key = entry.record.kind === 'interval' ? entry.record.id : null;
  return [
    ['key', key] as const,
    [`series.${series}`, entry.record] as const,
    ...intervalRows([], [source]),
    ...common(span),
  ];
}

function readWorkout(item: unknown) {
  const read = readAppleWorkout(whole(item), nowMs, files.clock);
  if (read.kind !== 'workout') return readableOf([]);
  const routes = read.routes.length === 0 ? null : read.routes;
  const streams = (['latitude', 'longitude', 'altitude', 'speed'] as const).map((stream) => {
    const values = read.points.map((point) => [point.ms, point[stream] ?? null]);
    return [`streams.${stream}`, [stream.endsWith('tude') ? routes : null, values]] as const;
  });
  return readableOf([...itemRows(read.item), ...streams]);
}

function readTrace(item: unknown) {
  const { head = {}, points = [], laps = [] } = given(item);
  const segments = [points.flatMap((point: unknown) => pointOf(given(point)) ?? [])];
  const read = { head, segments, laps, untimed: 0 };
  return readableOf(rowsOf(readRecording(recordingOf(read), rules, nowMs)));
}

function readFit(item: unknown) {
  const part = { messages: { ...noMessages(), ...given(item) }, isCut: false };
  const { recordings } = fitActivities(part, { nowMs, timeZone: null, room: mostSessions });
  const health = [...fitHealth(part, nowMs)];
  const nights = nightsOf(health.flatMap((entry) => (entry.kind === 'phase' ? [entry.phase] : [])));
  const recorded = recordings.map((one) => readRecording(one, rules, nowMs));
  return readableOf([...recorded, ...health, ...nights].flatMap(rowsOf));
}

function readStrava(item: unknown) {
  const activity = readStravaActivity(given(item));
  if (typeof activity === 'string') return readableOf([]);
  return readableOf(rowsOf(readRecording(recordingOfRow(activity), rules, nowMs)));
}

/** A case of a table whose elements are entries. */
const elements = (
  table: FieldTable,
  items: readonly object[],
  read: (element: unknown, nowMs: number) => readonly Entry[],
): FieldCase => ({ table, items, read: (item) => readableOf(read(item, nowMs).flatMap(rowsOf)) });

/** Reads what the members of an archive have: an item has a list for each of them. */
const archive = (kind: ArchiveKind, nameOf: (name: string) => string) => (item: unknown) => {
  const unread = new Map<string, unknown[]>(
    Object.entries(given(item)).map(([name, list]) => [nameOf(name), Array.isArray(list) ? list : []]),
  );
  const entries: Entry[] = [];
  for (const table of kind.begin({ nowMs, rules, timeZone: null, names: new Set(unread.keys()) })) {
    if (table.form === 'joined') entries.push(...table.read());
    if (table.form !== 'rows' && table.form !== 'elements' && table.form !== 'groups') continue;
    for (const [name, list] of unread) {
      if (!table.pattern.test(name)) continue;
      if (table.collects !== true) unread.delete(name);
      if (table.form === 'groups') entries.push(...table.read(new Map([[name, list]])));
      else for (const one of list) entries.push(...table.read(given(one), name));
    }
  }
  return readableOf(entries.flatMap(rowsOf));
};

const readSamsung = archive(samsungHealth, samsung.samsungMemberName);
const readFitbit = archive(fitbit, fitbitMembers.fitbitMemberName);
const readPolar = archive(polarFlow, (name) => `${name}-1.json`);

const readZepp = archive(zepp, (name) => `${name}/${name}_1.csv`);

const readWhoop = archive(whoopData, (name) => `${name}.csv`);

const readOura = archive(ouraData, (name) => `${name}.csv`);

/** A case of a table of the export of Oura. */
const ofOura = (name: string, table: FieldTable, items: readonly object[]): FieldCase => ({
  table,
  items,
  read: (row) => readOura({ [name]: [row] }),
});

/** A case of a document of Health Auto Export. */
const ofAutoExport = (
  table: FieldTable,
  items: readonly object[],
  dataOf: (item: unknown) => object,
): FieldCase => ({
  table,
  items,
  read: (item) =>
    readableOf(healthAutoExport.read([{ data: dataOf(item) }], { nowMs, rules }).flatMap(rowsOf)),
});

const readWithings = archive(withingsData, (name) => `${name}.csv`);

/** A case of members with one beginning of their names. */
const ofMember = (begin: string, table: FieldTable, items: readonly object[]): FieldCase => ({
  table,
  items,
  read: (item) => readPolar({ [begin]: [item] }),
});

/** The items of the fixtures, and what can be read back of them. */
export const fileCases: Readonly<Record<string, FieldCase>> = {
  csv: {
    table: fields.csv,
    items: files.csvRows,
    read: (item) => readableOf(rowsOf(readRow(given(item), nowMs))),
  },
  appleRecords: {
    table: fields.appleRecords,
    items: files.appleRecordElements.map(bare),
    read: (item) => readableOf(rowsOf(readAppleRecord(whole(item), nowMs, files.clock))),
  },
  appleWorkouts: { table: fields.appleWorkouts, items: [bare(files.appleWorkoutElement)], read: readWorkout },
  traces: { table: fields.traces, items: files.traces, read: readTrace },
  stravaActivity: { table: fields.stravaActivity, items: files.stravaActivities, read: readStrava },
  fit: { table: fields.fit, items: files.fitFiles, read: readFit },
  garminActivities: elements(fields.garminActivities, garmin.activities, readActivity),
  garminDays: elements(fields.garminDays, garmin.days, readDay),
  garminNights: elements(fields.garminNights, garmin.nights, nightReader(new Map())),
  garminHealthStatus: elements(
    fields.garminHealthStatus,
    garmin.healthStatuses,
    healthReader(new Map(), () => false),
  ),
  garminBiometrics: elements(fields.garminBiometrics, garmin.biometrics, biometricReader(new Map())),
  garminMaxMet: elements(fields.garminMaxMet, garmin.maxMets, maxMetReader(new Map())),
  garminBloodPressure: elements(
    fields.garminBloodPressure,
    garmin.bloodPressures,
    bloodPressureReader(new Map()),
  ),
  garminReadiness: elements(fields.garminReadiness, garmin.readiness, readReadiness),
  garminHydration: elements(fields.garminHydration, garmin.drinks, (item, now) =>
    readHydration([given(item)], new Map(), now),
  ),
  samsungExercises: { table: fields.samsungExercises, items: samsung.samsungExercises, read: readSamsung },
  samsungNights: { table: fields.samsungNights, items: samsung.samsungNights, read: readSamsung },
  samsungDays: { table: fields.samsungDays, items: samsung.samsungDays, read: readSamsung },
  samsungValues: { table: fields.samsungValues, items: samsung.samsungValues, read: readSamsung },
  fitbitNights: { table: fields.fitbitNights, items: fitbitMembers.fitbitNights, read: readFitbit },
  fitbitExercises: { table: fields.fitbitExercises, items: fitbitMembers.fitbitExercises, read: readFitbit },
  fitbitValues: { table: fields.fitbitValues, items: fitbitMembers.fitbitValues, read: readFitbit },
  polarSessions: ofMember('training-session', fields.polarSessions, polar.sessions),
  polarNights: {
    table: fields.polarNights,
    items: polar.nights,
    read: (item) => {
      const { night, sleepScoreResult, ...others } = given(item);
      return readPolar({ sleep_score: [{ night, sleepScoreResult }], sleep_result: [{ night, ...others }] });
    },
  },
  polarRecoveries: ofMember('nightly_recovery_1', fields.polarRecoveries, polar.recoveries),
  polarDays: ofMember('activity-2026', fields.polarDays, polar.days),
  polarHeartRates: ofMember('247ohr', fields.polarHeartRates, polar.heartRates),
  polarFitnessTests: ofMember('fitness-test-results', fields.polarFitnessTests, polar.fitnessTests),
  zeppDays: { table: fields.zeppDays, items: zeppRows.days, read: (row) => readZepp({ ACTIVITY: [row] }) },
  zeppWorkouts: {
    table: fields.zeppWorkouts,
    items: zeppRows.workouts,
    read: (row) => readZepp({ SPORT: [row] }),
  },
  zeppNights: { table: fields.zeppNights, items: zeppRows.nights, read: readZepp },
  ouraSleeps: ofOura('sleepmodel', fields.ouraSleeps, oura.sleeps),
  ouraSleepScores: ofOura('dailysleep', fields.ouraSleepScores, oura.sleepScores),
  ouraReadiness: ofOura('dailyreadiness', fields.ouraReadiness, oura.readiness),
  ouraOxygen: ofOura('dailyspo2', fields.ouraOxygen, oura.oxygen),
  ouraDays: ofOura('dailyactivity', fields.ouraDays, oura.days),
  ouraWorkouts: ofOura('workout', fields.ouraWorkouts, oura.workouts),
  ouraHeartRates: ofOura('heartrate', fields.ouraHeartRates, oura.heartRates),
  autoExportMetrics: ofAutoExport(fields.autoExportMetrics, autoExport.metrics, given),
  autoExportNights: ofAutoExport(fields.autoExportNights, autoExport.nights, (night) => ({
    metrics: [{ name: 'sleep_analysis', units: 'hr', data: [night] }],
  })),
  autoExportWorkouts: ofAutoExport(fields.autoExportWorkouts, autoExport.workouts, (workout) => ({
    workouts: [workout],
  })),
  withingsSleeps: {
    table: fields.withingsSleeps,
    items: withings.sleeps,
    read: (row) => readWithings({ sleep: [row] }),
  },
  withingsWorkouts: {
    table: fields.withingsWorkouts,
    items: withings.workouts,
    read: (row) => readWithings({ activities: [{ ...given(row), Data: JSON.stringify(given(row).Data) }] }),
  },
  withingsValues: { table: fields.withingsValues, items: withings.values, read: readWithings },
  whoopCycles: {
    table: fields.whoopCycles,
    items: whoopRows.whoopCycles,
    read: (row) => readWhoop({ physiological_cycles: [row] }),
  },
  whoopSleeps: {
    table: fields.whoopSleeps,
    items: whoopRows.whoopSleeps,
    read: (row) => readWhoop({ sleeps: [row] }),
  },
  whoopWorkouts: {
    table: fields.whoopWorkouts,
    items: whoopRows.whoopWorkouts,
    read: (row) => readWhoop({ workouts: [row] }),
  },
  zeppValues: { table: fields.zeppValues, items: zeppRows.values, read: readZepp },
};
