import type { Test } from 'tap';
import { z } from 'zod';
import { simulatedUserAt } from '../../../sandbox/simulation/simulated-users.ts';
import { startApi } from '../../support/api.ts';
import { readAll } from '../../support/read-all.ts';

/** The days in which the exports of the simulation are. */
const range = { start: '2026-02-20', end: '2026-04-10' };
const query = `start_date=${range.start}&end_date=${range.end}`;
const Rows = z.object({ data: z.array(z.looseObject({})) });

/** A user in Los Angeles and one in Kathmandu. */
export const [user, other] = [simulatedUserAt('a user', 1), simulatedUserAt('a user', 0)];

/** The product, and what it says of a user after imports of exports of accounts. */
export async function startImports(t: Test) {
  const api = await startApi(t, { SANDBOX: 'off', RATE_LIMIT_API_KEY: '100000' });
  const rowsAt = async (userId: string, path: string, more = '') =>
    Rows.parse(await api.expect(200, `/users/${userId}/${path}?${query}${more}`)).data;
  return {
    api,
    rowsAt,
    /** All that the API says of a user, by which imports are compared. */
    allOf: async (userId: string) => ({
      ...(await readAll(api, userId, range)),
      activity: await rowsAt(userId, 'summaries/activity'),
      sleep: await rowsAt(userId, 'summaries/sleep'),
      scores: await rowsAt(userId, 'scores'),
    }),
    /** The scores of a kind, by size. */
    scoresOf: async (userId: string, kind: string) =>
      sorted((await rowsAt(userId, 'scores', `&kind=${kind}&limit=100`)).map(({ value }) => Number(value))),
  };
}

/** Numbers by size. */
export const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
/** The values of samples. */
export const valuesOf = (samples: readonly [string, number][] = []): number[] =>
  samples.map(([, value]) => value);
/** An instant as the API writes it. */
export const iso = (ms: number): string => new Date(ms).toISOString().replace('.000', '');
/** The starts of what a ledger has. */
export const startsOf = (rows: readonly { readonly startMs: number }[]): string[] =>
  rows.map(({ startMs }) => iso(startMs));
/** A field of rows. */
export const listOf = (rows: readonly object[], name: string): unknown[] =>
  rows.map((row) => Reflect.get(row, name));
/** A total of days. A night may begin on a day without other data. */
export const totalsIn = (activity: readonly object[], name: string): unknown[] =>
  listOf(activity, name).flatMap((total) => total ?? []);
