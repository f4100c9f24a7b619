import { z } from 'zod';
import type { Bench } from '../bench.ts';
import { samplesPath, spread, summariesPath } from '../requests.ts';

/** A kind of request, and how many times as many answers a second as the other commit it must give. */
export interface ReadCase {
  readonly what: string;
  readonly paths: readonly string[];
  readonly least: number;
}

/** Equal, within the noise of a comparison. */
const notWorse = 0.95;

const Found = z.object({ items: z.array(z.object({ email: z.string() })) });

/** The reads of which two commits are compared. */
export async function readCases(bench: Bench): Promise<ReadCase[]> {
  const { plan, product, sizes } = bench;
  const { minuteId, hertzId, totalsId } = plan;
  const [days, year] = [spread(bench, 1, 200), { first: 0, count: sizes.days }];
  const query = { types: 'heart_rate', limit: 100 };
  const { items } = Found.parse(await product.get('/users?limit=50&sort_by=email&sort_order=asc'));
  const email = encodeURIComponent(items.at(-1)?.email ?? '');
  const activity = (userId: string) => [summariesPath(userId, 'activity', year)];
  const nights = spread(bench, Math.min(30, sizes.days - 1), 20);
  return [
    page('a day of 1/min, 100 items', minuteId, 2),
    {
      ...page('', minuteId, notWorse),
      what: `${sizes.days} days of 1/min`,
      paths: [samplesPath(minuteId, year, query)],
    },
    page('a day of 1 Hz', hertzId, notWorse),
    { what: 'user by id', paths: plan.ordinaryIds.map((id) => `/users/${id}`), least: 2.5 },
    { what: 'connections of a user', paths: [`/users/${minuteId}/connections`], least: notWorse },
    { what: 'users list', paths: ['/users?limit=20'], least: notWorse },
    { what: 'users search', paths: [`/users?limit=20&search=${email}`], least: notWorse },
    { what: `activity of ${sizes.days} days, from samples`, paths: activity(minuteId), least: 1.5 },
    { what: `activity of ${sizes.days} days, from totals`, paths: activity(totalsId), least: 1.5 },
    {
      what: 'sleep of 30 nights',
      paths: nights.map((range) => summariesPath(minuteId, 'sleep', range)),
      least: 1,
    },
  ];

  function page(what: string, userId: string, least: number): ReadCase {
    return { what, paths: days.map((range) => samplesPath(userId, range, query)), least };
  }
}
