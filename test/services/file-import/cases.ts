import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { FileImport } from '../../../contracts/file-import.ts';
import { createUser, type TestApi } from '../../support/api.ts';
import { importFile } from './importing.ts';

/** A file that failed once, by its name. */
export const caseFile = (name: string): Buffer =>
  readFileSync(new URL(`../../fixtures/cases/${name}`, import.meta.url));

const Listed = z.object({ data: z.array(z.looseObject({ id: z.string() })) });
const Streams = z.object({ data: z.array(z.record(z.string(), z.unknown())) });
const dates = 'start_date=2000-01-01&end_date=2030-01-01';

/** What the API answers of a file that a new user imported. */
export interface ImportedFile {
  readonly userId: string;
  readonly done: FileImport;
  /** The workouts, each as it is answered on its own. */
  readonly workouts: readonly Record<string, unknown>[];
}

/** Imports a file for a new user, in Berlin unless stated. */
export async function importedCase(
  api: TestApi,
  file: string | Uint8Array,
  user: Readonly<Record<string, unknown>> = { time_zone: 'Europe/Berlin' },
): Promise<ImportedFile> {
  const userId = await createUser(api, user);
  const done = await importFile(api, userId, file);
  const { data } = Listed.parse(await api.expect(200, `/users/${userId}/events/workouts?${dates}`));
  const workouts: Record<string, unknown>[] = [];
  for (const { id } of data)
    workouts.push(z.looseObject({}).parse(await api.expect(200, `/users/${userId}/events/workouts/${id}`)));
  return { userId, done, workouts };
}

/** The measured values of the first workout by their streams, at most a page of them. */
export async function streamsOf(
  api: TestApi,
  { userId, workouts }: ImportedFile,
): Promise<Record<string, unknown[]>> {
  const path = `/users/${userId}/events/workouts/${workouts[0]?.id}/streams`;
  const { data } = Streams.parse(await api.expect(200, path));
  const values = new Map<string, unknown[]>();
  for (const row of data)
    for (const [name, value] of Object.entries(row))
      if (value !== null) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries(values);
}

/** What an import says that it has not kept: type, sentence, and how many. */
export const unkept = ({ skipped }: FileImport): string[] =>
  skipped.map(({ type, reason, items }) => `${type}: ${reason} ${items}`);

const two = (value: number) => String(value).padStart(2, '0');

/** A time of 2 March 2026, seconds after 07:00 in UTC. */
export const timeAt = (second: number): string =>
  `2026-03-02T${two(7 + Math.floor(second / 3600))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)}Z`;

/** A point of GPX on a way to the north, eleven meters for each 0.0001 degrees. */
export function trackPoint(second: number, north: number, more: { ele?: number; in?: string } = {}): string {
  const ele = more.ele === undefined ? '' : `<ele>${more.ele}</ele>`;
  const position = `lat="${(50 + north).toFixed(6)}" lon="14.4"`;
  return `<trkpt ${position}>${ele}<time>${timeAt(second)}</time>${more.in ?? ''}</trkpt>`;
}

/** A document of GPX with a track of segments. */
export function gpxOf(segments: readonly string[], { head = '', root = '', before = '' } = {}): string {
  const parts = segments.map((points) => `<trkseg>${points}</trkseg>`);
  return `<gpx version="1.1" ${root}>${before}<trk>${head}${parts.join('')}</trk></gpx>`;
}

/** A document of TCX with activities, each of whose laps has its own elements. */
export function tcxOf(activities: readonly (readonly string[])[], more = ''): string {
  const parts = activities.map((laps) => `<Activity Sport="Running"><Id>a</Id>${laps.join('')}</Activity>`);
  return `<TrainingCenterDatabase><Activities>${parts.join('')}</Activities>${more}</TrainingCenterDatabase>`;
}

/** Points of TCX, one each second, with the distances that are counted. */
export function tcxTrack(from: number, distances: readonly number[]): string {
  const points = distances.map(
    (meters, index) =>
      `<Trackpoint><Time>${timeAt(from + index)}</Time><DistanceMeters>${meters}</DistanceMeters></Trackpoint>`,
  );
  return `<Track>${points.join('')}</Track>`;
}
