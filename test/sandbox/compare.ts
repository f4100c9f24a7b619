import { z } from 'zod';

/** Gets JSON of the API, with its key. */
export type Get = (path: string) => Promise<unknown>;

const Line = z.object({ type: z.string(), device: z.string(), samples: z.int() });
const Start = z.object({ start_time: z.string() });
const Ledger = z.object({
  waiting: z.int(),
  devicemaker: z
    .object({
      items: z.record(z.string(), z.int()),
      workouts: z.array(Start.extend({ name: z.string(), duration_seconds: z.int() })),
      sleeps: z.array(Start.extend({ asleep_seconds: z.int() })),
      naps: z.array(Start.extend({ duration_seconds: z.int() })),
      days: z.array(z.object({ date: z.string(), steps: z.int(), duration_seconds: z.int() })),
      series: z.array(Line),
    })
    .nullable(),
  activitynet: z
    .object({
      activities: z.array(Start.extend({ name: z.string(), duration_seconds: z.int() })),
      series: z.array(Line),
    })
    .nullable(),
});

/** What the sandbox says of somebody. */
export type Ledger = z.infer<typeof Ledger>;

/** Reads a ledger. */
export async function readLedger(sandboxUrl: string, person: number): Promise<Ledger> {
  const response = await fetch(`${sandboxUrl}/ledger?person=${person}`);
  return Ledger.parse(await response.json());
}

/** A comparable picture of somebody: what is there, without ids. */
export interface Picture {
  readonly samples: Readonly<Record<string, number>>;
  readonly workouts: readonly string[];
  readonly sleeps: readonly string[];
  readonly days: readonly string[];
  readonly others: number;
}

/** The picture that the sandbox's ledger gives; of a workout at both providers either is the one that is listed. */
export function wanted({ devicemaker, activitynet }: Ledger): Picture {
  const samples: Record<string, number> = {};
  for (const { type, samples: count } of [...(devicemaker?.series ?? []), ...(activitynet?.series ?? [])])
    samples[type] = (samples[type] ?? 0) + count;
  const workouts = [...(devicemaker?.workouts ?? []), ...(activitynet?.activities ?? [])];
  const nights = (devicemaker?.sleeps ?? []).map((one) => `${second(one.start_time)} ${one.asleep_seconds} false`);
  const naps = (devicemaker?.naps ?? []).map((one) => `${second(one.start_time)} ${one.duration_seconds} true`);
  return {
    samples,
    workouts: workouts.map((one) => `${second(one.start_time)} ${one.duration_seconds} ${one.name}`).sort(),
    sleeps: [...nights, ...naps].sort(),
    days: (devicemaker?.days ?? []).map(({ date, steps }) => `${date} ${steps}`).sort(),
    others: (devicemaker?.items.moveiq ?? 0) + (devicemaker?.items.mct ?? 0),
  };
}

const Count = z.object({ pagination: z.object({ total_count: z.int() }) });
const Workouts = z.array(Start.extend({ name: z.string(), duration_seconds: z.int() }));
const Sleeps = z.array(Start.extend({ duration_seconds: z.int(), is_nap: z.boolean() }));
const Days = z.array(z.object({ date: z.string(), steps: z.int().nullable() }));
const range = 'start_time=2020-01-01&end_time=2030-01-01';
const dates = 'start_date=2020-01-01&end_date=2030-01-01';

/** The picture that the API gives. */
export async function found(get: Get, userId: string, types: readonly string[]): Promise<Picture> {
  const user = `/users/${userId}`;
  const samples: Record<string, number> = {};
  for (const type of types) {
    const page = Count.parse(await get(`${user}/timeseries?types=${type}&limit=1&${range}`));
    if (page.pagination.total_count > 0) samples[type] = page.pagination.total_count;
  }
  const workouts = Workouts.parse(await everything(get, `${user}/events/workouts?${dates}&limit=100`));
  const sleeps = Sleeps.parse(await everything(get, `${user}/events/sleep?${dates}&limit=100`));
  const days = Days.parse(await everything(get, `${user}/summaries/activity?${dates}&limit=400`));
  const others = await everything(get, `${user}/events/other?${dates}&limit=100`);
  return {
    samples,
    workouts: workouts.map((one) => `${second(one.start_time)} ${one.duration_seconds} ${one.name}`).sort(),
    sleeps: sleeps.map((one) => `${second(one.start_time)} ${one.duration_seconds} ${one.is_nap}`).sort(),
    days: days.map(({ date, steps }) => `${date} ${steps}`).sort(),
    others: others.length,
  };
}

const Page = z.object({
  data: z.array(z.unknown()),
  pagination: z.object({ next_cursor: z.string().nullable() }),
});

async function everything(get: Get, path: string): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = Page.parse(await get(cursor === '' ? path : `${path}&cursor=${encodeURIComponent(cursor)}`));
    all.push(...page.data);
    cursor = page.pagination.next_cursor;
  }
  return all;
}

function second(time: string): string {
  return new Date(time).toISOString().slice(0, 19);
}
