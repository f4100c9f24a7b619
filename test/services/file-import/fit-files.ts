import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { TestApi } from '../../support/api.ts';
import { FitWriter, fitTime } from '../../support/fit-writer.ts';

/** A file of `test/fixtures/cases`. */
export const fitCase = (path: string): Buffer =>
  readFileSync(new URL(`../../fixtures/cases/${path}.fit`, import.meta.url));

/** 8:40 of 10 November 2026, UTC. */
export const begin = fitTime('2026-11-10T08:40:00Z');

/** The beginning of an activity. */
export const activityFile = (product = 1000): FitWriter =>
  new FitWriter().message(0, [
    [0, 'enum', 4],
    [1, 'uint16', 1],
    [2, 'uint16', product],
    [4, 'uint32', begin],
  ]);

/** Points with heart rate, distance in meters and speed, one each second. The distance grows by 3 m. */
export function writeRecords(file: FitWriter, start: number, count: number, meters = 0): FitWriter {
  file.define(1, 20, [
    [253, 'uint32'],
    [3, 'uint8'],
    [5, 'uint32'],
    [6, 'uint16'],
  ]);
  for (let second = 0; second < count; second += 1)
    file.data(1, [start + second, 100 + (second % 40), (meters + 3 * second) * 100, 3000]);
  return file;
}

/** What a session or a lap states. */
interface Summary {
  readonly sport?: number;
  readonly subSport?: number;
  readonly meters?: number;
  /** When it ended by its own clock; the start and its seconds unless stated. */
  readonly end?: number;
}

export const [runSport, bikeSport, transitionSport, swimSport] = [1, 2, 3, 5];

/** A session of so many seconds. */
export const writeSession = (
  file: FitWriter,
  start: number,
  seconds: number,
  { sport = runSport, subSport = 0, meters = 3 * seconds, end = start + seconds }: Summary = {},
): FitWriter =>
  file.message(18, [
    [253, 'uint32', end],
    [2, 'uint32', start],
    [7, 'uint32', seconds * 1000],
    [8, 'uint32', seconds * 1000],
    [9, 'uint32', meters * 100],
    [5, 'enum', sport],
    [6, 'enum', subSport],
  ]);

/** A lap of so many seconds. */
export const writeLap = (
  file: FitWriter,
  start: number,
  seconds: number,
  { meters = 3 * seconds, end = start + seconds }: Summary = {},
): FitWriter =>
  file.message(19, [
    [253, 'uint32', end],
    [2, 'uint32', start],
    [7, 'uint32', seconds * 1000],
    [9, 'uint32', meters * 100],
  ]);

/** The end of an activity, with the clock of the user. */
export const writeActivity = (file: FitWriter, end: number, local = end + 3600): FitWriter =>
  file.message(34, [
    [253, 'uint32', end],
    [5, 'uint32', local],
  ]);

const Workouts = z.object({ data: z.array(z.looseObject({ id: z.string() })) });
const Streams = z.object({
  types: z.array(z.string()),
  data: z.array(z.record(z.string(), z.unknown())),
});
const Samples = z.object({
  data: z.array(z.looseObject({ type: z.string(), timestamp: z.string(), value: z.number() })),
});
const Days = z.object({ data: z.array(z.looseObject({ steps: z.number().nullable() })) });
const dates = 'start_date=2026-11-08&end_date=2026-11-13';

/** What the API answers of a user's data around the day of the files. */
export function answersOf({ expect }: Pick<TestApi, 'expect'>, userId: string) {
  const events = async (kind: string) =>
    Workouts.parse(await expect(200, `/users/${userId}/events/${kind}?${dates}`)).data;
  return {
    workouts: async () => (await events('workouts')).toSorted(byStart),
    nights: () => events('sleep'),
    workout: (id: string) => expect(200, `/users/${userId}/events/workouts/${id}`),
    /** The measured values of each stream. */
    async streams(id: string): Promise<Record<string, unknown[]>> {
      const path = `/users/${userId}/events/workouts/${id}/streams`;
      const { types, data } = Streams.parse(await expect(200, path));
      const measured = types.map((type) => [
        type,
        data.map((point) => point[type]).filter((value) => value != null),
      ]);
      return Object.fromEntries(measured);
    },
    /** The instants of the streams. */
    async instants(id: string): Promise<unknown[]> {
      const path = `/users/${userId}/events/workouts/${id}/streams`;
      return Streams.parse(await expect(200, path)).data.map(({ timestamp }) => timestamp);
    },
    async samples(
      ...types: readonly string[]
    ): Promise<(readonly [type: string, at: string, value: number])[]> {
      const range = 'start_time=2026-11-08T00:00:00Z&end_time=2026-11-13T00:00:00Z&limit=100';
      const query = types.map((type) => `types=${type}`).join('&');
      const { data } = Samples.parse(await expect(200, `/users/${userId}/timeseries?${query}&${range}`));
      return data
        .map(({ type, timestamp, value }) => [type, timestamp, value] as const)
        .toSorted(([a, one], [b, other]) => (`${one} ${a}` < `${other} ${b}` ? -1 : 1));
    },
    steps: async () =>
      Days.parse(await expect(200, `/users/${userId}/summaries/activity?${dates}`)).data.map(
        ({ steps }) => steps,
      ),
  };
}

const byStart = (a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>) =>
  String(a.start_time) < String(b.start_time) ? -1 : 1;
