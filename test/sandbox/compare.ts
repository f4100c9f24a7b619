import { z } from 'zod';

/** Gets JSON of the API, with its key. */
export type Get = (path: string) => Promise<unknown>;

/** The providers whose data is compared. */
export const compared = ['devicemaker', 'activitynet'] as const;

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
      days: z.array(
        z.object({
          date: z.string(),
          steps: z.int(),
          duration_seconds: z.int(),
          sedentary_seconds: z.int().nullable(),
        }),
      ),
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

/** The data that the sandbox expects for a user. */
export type Ledger = z.infer<typeof Ledger>;

/** Reads the expected data of a user (/ledger). */
export async function readLedger(sandboxUrl: string, person: number): Promise<Ledger> {
  const response = await fetch(`${sandboxUrl}/ledger?person=${person}`);
  return Ledger.parse(await response.json());
}

/** A comparable snapshot of the data of a user, without ids. */
export interface Snapshot {
  /** Samples of each series type, of all sources. */
  readonly samples: Readonly<Record<string, number>>;
  readonly workouts: readonly string[];
  readonly sleeps: readonly string[];
  readonly days: readonly string[];
  readonly others: number;
}

/** The key of the sum of all types, which reveals unexpected samples. */
const all = 'all';

interface Session {
  readonly start_time: string;
  readonly duration_seconds: number;
  readonly name: string;
}

/** The snapshot of the expected data. A workout of both providers is listed once, here as the device maker's. */
export function wanted({ devicemaker, activitynet }: Ledger): Snapshot {
  const samples: Record<string, number> = {};
  for (const { type, samples: count } of [...(devicemaker?.series ?? []), ...(activitynet?.series ?? [])])
    for (const name of [type, all]) samples[name] = (samples[name] ?? 0) + count;
  const own = devicemaker?.workouts ?? [];
  const further = (activitynet?.activities ?? []).filter((one) => !own.some((other) => overlap(one, other)));
  const nights = devicemaker?.sleeps ?? [];
  const naps = devicemaker?.naps ?? [];
  return {
    samples,
    workouts: [...own, ...further].map(shown).sort(),
    sleeps: [
      ...nights.map((one) => `${second(one.start_time)} ${one.asleep_seconds} false`),
      ...naps.map((one) => `${second(one.start_time)} ${one.duration_seconds} true`),
    ].sort(),
    days: (devicemaker?.days ?? [])
      .map(({ date, steps, sedentary_seconds: seated }) => `${date} ${steps} ${minutesOf(seated)}`)
      .sort(),
    others: (devicemaker?.items.moveiq ?? 0) + (devicemaker?.items.mct ?? 0),
  };
}

/** The workouts of the platform that the API may list instead of the device maker's. */
function duplicates({ devicemaker, activitynet }: Ledger): ReadonlyMap<string, string> {
  const own = devicemaker?.workouts ?? [];
  return new Map(
    (activitynet?.activities ?? []).flatMap((one) => {
      const duplicate = own.find((other) => overlap(one, other));
      return duplicate === undefined ? [] : [[shown(one), shown(duplicate)] as const];
    }),
  );
}

function overlap(one: Session, other: Session): boolean {
  const [a, b] = [Date.parse(one.start_time), Date.parse(other.start_time)];
  return a < b + other.duration_seconds * 1000 && b < a + one.duration_seconds * 1000;
}

function shown(one: Session): string {
  return `${second(one.start_time)} ${one.duration_seconds} ${one.name}`;
}

const Count = z.object({ pagination: z.object({ total_count: z.int() }) });
const Workouts = z.array(Start.extend({ name: z.string(), duration_seconds: z.int() }));
const Sleeps = z.array(Start.extend({ duration_seconds: z.int(), is_nap: z.boolean() }));
const Days = z.array(
  z.object({ date: z.string(), steps: z.int().nullable(), sedentary_minutes: z.int().nullable() }),
);
const range = 'start_time=2020-01-01&end_time=2030-01-01';
const dates = 'start_date=2020-01-01&end_date=2030-01-01';

/** The snapshot of the data that the API returns. */
export async function found(get: Get, userId: string, ledger: Ledger): Promise<Snapshot> {
  const duplicateOf = duplicates(ledger);
  const user = `/users/${userId}`;
  const samples: Record<string, number> = {};
  for (const type of Object.keys(wanted(ledger).samples).filter((name) => name !== all))
    samples[type] = await count(get, `${user}/timeseries?types=${type}&limit=1&${range}`);
  samples[all] = await count(get, `${user}/timeseries?limit=1&${range}`);
  const workouts = Workouts.parse(await everything(get, `${user}/events/workouts?${dates}&limit=100`));
  const sleeps = Sleeps.parse(await everything(get, `${user}/events/sleep?${dates}&limit=100`));
  const days = Days.parse(await everything(get, `${user}/summaries/activity?${dates}&limit=400`));
  const others = await everything(get, `${user}/events/other?${dates}&limit=100`);
  return {
    samples,
    workouts: workouts
      .map(shown)
      .map((one) => duplicateOf.get(one) ?? one)
      .sort(),
    sleeps: sleeps.map((one) => `${second(one.start_time)} ${one.duration_seconds} ${one.is_nap}`).sort(),
    days: days.map(({ date, steps, sedentary_minutes }) => `${date} ${steps} ${sedentary_minutes}`).sort(),
    others: others.length,
  };
}

const Page = z.object({
  data: z.array(z.unknown()),
  pagination: z.object({ next_cursor: z.string().nullable() }),
});

async function count(get: Get, path: string): Promise<number> {
  return Count.parse(await get(path)).pagination.total_count;
}

async function everything(get: Get, path: string): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = Page.parse(await get(cursor === '' ? path : `${path}&cursor=${encodeURIComponent(cursor)}`));
    all.push(...page.data);
    cursor = page.pagination.next_cursor;
  }
  return all;
}

function minutesOf(seconds: number | null): number | null {
  return seconds === null ? null : Math.floor(seconds / 60);
}

function second(time: string): string {
  return new Date(time).toISOString().slice(0, 19);
}
