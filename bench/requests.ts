import { z } from 'zod';
import { dayMs, isoTime, localDate } from '../domain/time/time.ts';
import { startMs } from './dataset/plan.ts';
import type { Served } from './lines.ts';
import type { Product } from './product.ts';
import type { Sizes } from './sizes.ts';

/** A range of whole days of the data set. */
export interface Days {
  readonly first: number;
  readonly count: number;
}

/** Requests of paths below /api/v1, with the API key. `parts` are the processes that answer, by default the product's own. */
export function targetOf(
  { url, key, ...product }: Pick<Product, 'url' | 'key'> & Partial<Product>,
  paths: string | readonly string[],
  parts?: Served['parts'],
): Served {
  const headers = { 'X-API-Key': key };
  const requests = [paths].flat().map((path) => ({ path: `/api/v1${path}`, headers }));
  const { usage } = product;
  const own = parts ?? (usage === undefined ? undefined : [{ usage }]);
  return { url, requests, ...(own === undefined ? {} : { parts: own }) };
}

/** The path of a page of samples. */
export function samplesPath(
  userId: string,
  days: Days,
  query: Readonly<Record<string, string | number | readonly string[]>>,
): string {
  const [start_time, end_time] = [days.first, days.first + days.count].map((day) =>
    isoTime(startMs + day * dayMs),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries({ start_time, end_time, ...query }))
    for (const one of [value].flat()) search.append(name, String(one));
  return `/users/${userId}/timeseries?${search}`;
}

const mostOnPage = { activity: 400, sleep: 100 } as const;

/** The path of summaries, all days on one page. */
export function summariesPath(userId: string, kind: keyof typeof mostOnPage, { first, count }: Days): string {
  const range = `start_date=${dateOf(first)}&end_date=${dateOf(first + count - 1)}`;
  return `/users/${userId}/summaries/${kind}?${range}&limit=${mostOnPage[kind]}`;
}

/** The date of a day of the data set. */
export function dateOf(day: number): string {
  return localDate(startMs + day * dayMs, 0);
}

/** Ranges of the same number of days with different starts, so that requests are not repeated. */
export function spread({ days }: Sizes, count: number, most = 20): Days[] {
  const last = Math.max(0, days - count);
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

/** What the creation of a user answers. */
export const Id = z.object({ id: z.string() });

const Users = z.object({ total: z.int(), items: z.array(z.object({ email: z.string() })) });

/** Reads a page of the list of users. */
export async function readUsers(product: Product, query: string) {
  return Users.parse(await product.get(`/users?${query}`));
}

/** The e-mail address of a user by its place in their order, for a query. */
export async function addressOf(product: Product, index: number): Promise<string> {
  const { items } = await readUsers(product, 'limit=50&sort_by=email&sort_order=asc');
  return encodeURIComponent(items.at(index)?.email ?? '');
}
