import { decodeChunk } from '../../../domain/workouts/track-codec.ts';
import { type AppleElement, readAppleRecord } from '../../../providers/file/apple.ts';
import { readAppleWorkout } from '../../../providers/file/apple-workout.ts';
import { readRow } from '../../../providers/file/csv.ts';
import type { Entry } from '../../../providers/file/entry.ts';
import { fields } from '../../../providers/file/fields.ts';
import { fitMonitoring, fitRecordings } from '../../../providers/file/fit.ts';
import { pointOf, recordingOf } from '../../../providers/file/points.ts';
import { readRecording } from '../../../providers/file/recording.ts';
import * as files from '../../fixtures/files.ts';
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
  return [[`series.${series}`, entry.record] as const, ...intervalRows([], [source]), ...common(span)];
}

function readWorkout(item: unknown) {
  const read = readAppleWorkout(whole(item), nowMs);
  if (read.kind !== 'workout') return readableOf([]);
  const routes = read.routes.length === 0 ? null : read.routes;
  return readableOf([...itemRows(read.item), ['streams.latitude', routes], ['streams.longitude', routes]]);
}

function readTrace(item: unknown) {
  const { head = {}, points = [], laps = [] } = given(item);
  const read = { head, points: points.flatMap((point: unknown) => pointOf(given(point)) ?? []), laps };
  return readableOf(rowsOf(readRecording(recordingOf(read), rules, nowMs)));
}

function readFit(item: unknown) {
  const { sessions = [], laps = [], records = [], monitors = [], file_ids = [], activity = {} } = given(item);
  const file = { sessions, laps, records, monitors, file_ids, activity };
  const recorded = fitRecordings(file).map((one) => readRecording(one, rules, nowMs));
  return readableOf([...recorded, ...fitMonitoring(file, nowMs)].flatMap(rowsOf));
}

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
    read: (item) => readableOf(rowsOf(readAppleRecord(whole(item), nowMs))),
  },
  appleWorkouts: { table: fields.appleWorkouts, items: [bare(files.appleWorkoutElement)], read: readWorkout },
  traces: { table: fields.traces, items: files.traces, read: readTrace },
  fit: { table: fields.fit, items: [files.fitFile], read: readFit },
};
