import { z } from 'zod';
import type { TestApi } from './api.ts';

/** All data that the API returns of a user in a range. */
export interface Everything {
  /** [timestamp, value] by series type, oldest first. */
  readonly samples: Record<string, [string, number][]>;
  /** Every device that a sample names. */
  readonly devices: string[];
  /** Events, newest first, without their ids. */
  readonly workouts: object[];
  readonly sleeps: object[];
  readonly others: object[];
}

const Page = z.object({
  data: z.array(z.record(z.string(), z.unknown())),
  pagination: z.object({ next_cursor: z.string().nullable(), total_count: z.int() }),
});
const Sample = z.object({
  timestamp: z.string(),
  type: z.string(),
  value: z.number(),
  source: z.object({ provider: z.string(), device: z.string() }),
});

/** Reads a user's data through the API, page by page. @throws Error if a total differs from the number of items */
export async function readAll(
  api: TestApi,
  userId: string,
  { start, end }: { readonly start: string; readonly end: string },
): Promise<Everything> {
  const dates = `start_date=${start}&end_date=${end}`;
  const samples = (await list(api, `/users/${userId}/timeseries?start_time=${start}&end_time=${end}`)).map(
    (row) => Sample.parse(row),
  );
  const bySeries = [...Map.groupBy(samples, ({ type }) => type)].map(([type, own]) => [
    type,
    own.map(({ timestamp, value }): [string, number] => [timestamp, value]),
  ]);
  const events = async (kind: string) => {
    const rows = await list(api, `/users/${userId}/events/${kind}?${dates}`);
    return rows.map(({ id: _, ...event }) => event);
  };
  return {
    samples: Object.fromEntries(bySeries),
    devices: [...new Set(samples.map(({ source }) => source.device))],
    workouts: await events('workouts'),
    sleeps: await events('sleep'),
    others: await events('other'),
  };
}

async function list(api: TestApi, path: string): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page: z.infer<typeof Page> = Page.parse(await api.expect(200, `${path}&limit=100${more}`));
    found.push(...page.data);
    cursor = page.pagination.next_cursor;
    if (cursor === null && page.pagination.total_count !== found.length)
      throw new Error(`${path}: ${found.length} read, ${page.pagination.total_count} counted`);
  }
  return found;
}
