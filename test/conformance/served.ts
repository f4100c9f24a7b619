import { z } from 'zod';
import type { Product } from './product.ts';

const Count = z.object({ pagination: z.object({ total_count: z.int() }) });
const Events = z.object({
  data: z.array(z.object({ start_time: z.string() })),
  pagination: z.object({ has_more: z.boolean().optional(), next_cursor: z.string().nullable() }),
});
const Days = z.object({ data: z.array(z.object({ date: z.string(), steps: z.int().nullable() })) });

const Values = z.object({ data: z.array(z.object({ value: z.number() })) });

const dates = 'start_date=2020-01-01&end_date=2040-01-01';
const iso = (time: string | number) => new Date(time).toISOString().slice(0, 19);

/** Counts the samples of some types. */
export async function servedCounts(
  { api }: Product,
  userId: string,
  fromMs: number,
  types: readonly string[],
): Promise<Record<string, number>> {
  const range = `start_time=${new Date(fromMs).toISOString()}&end_time=2040-01-01`;
  const counts = await Promise.all(
    types.map(async (type) => {
      const path = `/users/${userId}/timeseries?types=${type}&limit=1&${range}`;
      return [type, Count.parse(await api.expect(200, path)).pagination.total_count] as const;
    }),
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

const mostValues = 100;

/** The first values of a type from an instant on, sorted by size, so that the order of sources does not matter. */
export async function servedValues(
  { api }: Product,
  userId: string,
  fromMs: number,
  type: string,
): Promise<number[]> {
  const range = `start_time=${new Date(fromMs).toISOString()}&end_time=2040-01-01`;
  const path = `/users/${userId}/timeseries?types=${type}&limit=${mostValues}&${range}`;
  return sortedValues(Values.parse(await api.expect(200, path)).data.map(({ value }) => value));
}

/** The first values of a series, sorted by size and with two decimals. */
export function sortedValues(values: readonly number[]): number[] {
  return values
    .slice(0, mostValues)
    .map((value) => Math.round(value * 100) / 100)
    .sort((a, b) => a - b);
}

/** The starts of the workouts or nights of a user from an instant on. */
export async function servedStarts(
  { api }: Product,
  userId: string,
  fromMs: number,
  what: 'workouts' | 'sleep',
): Promise<string[]> {
  const path = `/users/${userId}/events/${what}?${dates}&limit=100`;
  const { data } = Events.parse(await api.expect(200, path));
  return startsOf(
    data.map(({ start_time }) => start_time),
    fromMs,
  );
}

const Zoned = z.object({
  data: z.array(z.object({ start_time: z.string(), zone_offset: z.string().nullable() })),
});

/** The starts of all workouts of a user, each with its offset. */
export async function servedOffsets({ api }: Product, userId: string): Promise<string[]> {
  const path = `/users/${userId}/events/workouts?${dates}&limit=100`;
  const { data } = Zoned.parse(await api.expect(200, path));
  return data.map(({ start_time, zone_offset }) => `${iso(start_time)} ${zone_offset}`).sort();
}

/** The starts from an instant on, to the second and sorted. */
export function startsOf(times: readonly (string | number)[], fromMs: number): string[] {
  return times
    .filter((time) => new Date(time).getTime() >= fromMs)
    .map(iso)
    .sort();
}

/** The steps of some days of a user. */
export async function servedSteps(
  { api }: Product,
  userId: string,
  wanted: readonly string[],
): Promise<string[]> {
  const { data } = Days.parse(
    await api.expect(200, `/users/${userId}/summaries/activity?${dates}&limit=400`),
  );
  return data
    .filter(({ date }) => wanted.includes(date))
    .map(({ date, steps }) => `${date} ${steps}`)
    .sort();
}
