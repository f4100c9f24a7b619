import { z } from 'zod';
import { dayMs } from '../domain/time/time.ts';
import type { Bench } from './bench.ts';
import { startMs } from './dataset/plan.ts';
import type { HttpRequest, LoadTarget } from './load/load.ts';
import type { Product } from './product.ts';
import { type Figures, figuresOf, fromEntries, keysOf } from './rounds.ts';

/** A range of whole days of the data set. */
export interface Days {
  readonly first: number;
  readonly count: number;
}

/** Requests of paths below /api/v1, with the API key. */
export function targetOf({ url, key }: Pick<Product, 'url' | 'key'>, paths: readonly string[]): LoadTarget {
  const requests: HttpRequest[] = paths.map((path) => ({
    path: `/api/v1${path}`,
    headers: { 'X-API-Key': key },
  }));
  return { url, requests };
}

/** The median response time of each target in ms, over one connection, alternating between targets. */
export async function latencies<K extends string>(
  { load, sizes }: Bench,
  targets: Readonly<Record<K, LoadTarget>>,
): Promise<Readonly<Record<K, Figures>>> {
  const names = keysOf(targets);
  const all = names.map((name) => targets[name]);
  await load.turns(all, sizes.requestsPerRound); // does not count: plans and caches are cold
  const rounds: number[][] = [];
  for (let round = 0; round < sizes.rounds; round++)
    rounds.push(await load.turns(all, sizes.requestsPerRound));
  return fromEntries(
    names.map((name, index) => [name, figuresOf(rounds.map((medians) => medians[index] ?? Number.NaN))]),
  );
}

/** The path of a page of samples. */
export function samplesPath(
  userId: string,
  days: Days,
  query: Readonly<Record<string, string | number | readonly string[]>>,
): string {
  const [start, end] = [days.first, days.first + days.count].map((day) =>
    new Date(startMs + day * dayMs).toISOString(),
  );
  const search = new URLSearchParams({ start_time: start ?? '', end_time: end ?? '' });
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) search.append(name, String(one));
  return `/users/${userId}/timeseries?${search}`;
}

const mostOnPage = { activity: 400, sleep: 100 } as const;

/** The path of summaries, all days on one page. */
export function summariesPath(userId: string, kind: keyof typeof mostOnPage, { first, count }: Days): string {
  const dateOf = (day: number) => new Date(startMs + day * dayMs).toISOString().slice(0, 10);
  const range = `start_date=${dateOf(first)}&end_date=${dateOf(first + count - 1)}`;
  return `/users/${userId}/summaries/${kind}?${range}&limit=${mostOnPage[kind]}`;
}

/** Ranges of the same number of days with different starts, so that requests are not repeated. */
export function spread({ sizes }: Bench, count: number, most = 20): Days[] {
  const last = Math.max(0, sizes.days - count);
  const steps = Math.min(most, last + 1);
  return Array.from({ length: steps }, (_, index) => ({
    first: Math.floor((index * last) / Math.max(1, steps - 1)),
    count,
  }));
}

/** The fields of a page that paging needs. */
export const PageHead = z.object({
  data: z.array(z.unknown()),
  pagination: z.object({ next_cursor: z.string().nullable(), total_count: z.int() }),
});
