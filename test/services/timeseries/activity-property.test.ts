import { randomUUID } from 'node:crypto';
import t from 'tap';
import { partsOf } from '../../../domain/records/item-parts.ts';
import { StoreItem } from '../../../domain/records/records.ts';
import { minuteMs } from '../../../domain/time/time.ts';
import type { Call } from '../../../runtime/environment.ts';
import timeseries from '../../../services/timeseries/timeseries.service.ts';
import users from '../../../services/users/users.service.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase, natsUrl } from '../../support/servers/database.ts';
import { activity, at, block, day, item, workout } from './items.ts';
import { seeded } from './model.ts';
import { wrongStatistics } from './statistics.ts';

/** What an activity, or a day, brought: values by minute. */
type Values = ReadonlyMap<number, number>;

interface Span {
  readonly from: number;
  readonly to: number;
}

interface ModelActivity {
  summary: Span | null;
  details: Span | null;
  values: Values;
  storedAs: number;
  cropped: boolean;
}

const fresh = (): ModelActivity => ({
  summary: null,
  details: null,
  values: new Map(),
  storedAs: 0,
  cropped: false,
});

const beyond = (a: Span, b: Span) => a.from < b.from || a.to > b.to;

/** One series that a day and several activities share, as plain maps, from which the expected samples are computed. */
class ActivityModel {
  #stored = 0;
  readonly #day = new Map<number, number>();
  readonly #activities = new Map<string, ModelActivity>();

  storeDay(values: Values): void {
    for (const [minute, value] of values) this.#day.set(minute, value);
  }

  storeDetails(key: string, span: Span, values: Values): void {
    const activity = this.#activity(key);
    this.#stored += 1;
    Object.assign(activity, { details: span, values, storedAs: this.#stored });
    this.#crop(activity);
  }

  storeSummary(key: string, span: Span): void {
    const activity = this.#activity(key);
    const former = activity.summary;
    if (former !== null)
      activity.cropped = !beyond(span, former) && (activity.cropped || beyond(former, span));
    activity.summary = span;
    this.#crop(activity);
  }

  delete(key: string): void {
    this.#activities.delete(key);
  }

  /** The minutes of which the day brought a value. */
  dayMinutes(): Set<number> {
    return new Set(this.#day.keys());
  }

  /** What the series holds, by minute in order. */
  expected(): [minute: number, value: number][] {
    const inOrder = [...this.#activities.values()]
      .sort((a, b) => a.storedAs - b.storedAs)
      .map(({ values }) => values);
    const all = new Map([...inOrder, this.#day].flatMap((values) => [...values]));
    return [...all].sort(([a], [b]) => a - b);
  }

  #activity(key: string): ModelActivity {
    const activity = this.#activities.get(key) ?? fresh();
    this.#activities.set(key, activity);
    return activity;
  }

  #crop(activity: ModelActivity): void {
    const { summary, details, values, cropped } = activity;
    if (!cropped || summary === null || details === null || !beyond(details, summary)) return;
    activity.values = new Map(
      [...values].filter(([minute]) => minute >= summary.from && minute <= summary.to),
    );
  }
}

// `npm run test:faults -- properties` takes more of them.
const lives = Number(process.env.LIVES ?? 15);
t.setTimeout(400_000);

// Across midnight in UTC, so that an activity lies on two days.
const start = at('23:30:00');
const minutesLong = 60;
const keys = ['a', 'b'] as const;
const database = await freshDatabase(t);
const bus = { databaseUrl: database.url, natsUrl: natsUrl(), namespace: `activities-${randomUUID()}` };
const settings = { DATABASE_POOL: '6' };
const first = await startBroker(t, { ...bus, services: [timeseries, users], settings });
const second = await startBroker(t, { ...bus, services: [timeseries], settings });

type Random = (most: number) => number;
type Step = (call: Call, userId: string, model: ActivityModel) => Promise<unknown>;

function spanOf(random: Random) {
  const from = random(minutesLong - 1);
  return { from, to: from + 1 + random(minutesLong - from - 1) };
}

/** Values of the minutes of a span. */
function valuesOf(random: Random, { from, to }: { from: number; to: number }): Map<number, number> {
  return new Map(Array.from({ length: to - from }, (_, n) => [from + n, 50 + random(100)] as const));
}

/** Values of some minutes of a span. Details have no gaps here: a gap may be a pause, see paused-activity.test.ts. */
function someValuesOf(random: Random, span: { from: number; to: number }): Map<number, number> {
  return new Map([...valuesOf(random, span)].filter(() => random(5) > 0));
}

const blocksOf = (values: ReadonlyMap<number, number>) => {
  const rows = [...values].map(([minute, value]) => [start + minute * minuteMs, value] as const);
  return rows.length === 0 ? [] : [block('heart_rate', rows)];
};

const send = (call: Call, user_id: string, ...items: Parameters<typeof StoreItem.parse>[0][]) =>
  call('timeseries.store', {
    user_id,
    provider: 'devicemaker',
    items: items.map((one) => StoreItem.parse(one)),
  });

/** One random thing that may happen, with what it means to the model. */
function stepOf(random: Random): Step {
  const key = keys[random(keys.length)] ?? 'a';
  const span = spanOf(random);
  const values = valuesOf(random, span);
  const some = someValuesOf(random, span);
  const record = workout(start + span.from * minuteMs, span.to - span.from);
  const hash = randomUUID();
  const named = (user_id: string) => ({ user_id, provider: 'devicemaker' as const, key });
  switch (random(7)) {
    case 0:
      return async (call, user, model) => {
        await send(call, user, item({ key: 'day', hash, day: day('2026-03-01'), samples: blocksOf(some) }));
        model.storeDay(some);
      };
    case 1:
    case 2:
      return async (call, user, model) => {
        await send(call, user, activity(record, { key, hash }));
        model.storeSummary(key, span);
      };
    case 3:
      return async (call, user, model) => {
        await call('timeseries.deleteWorkout', named(user));
        model.delete(key);
      };
    default: {
      const details = activity(record, {
        key,
        hash,
        data_type: 'activityDetails',
        samples: blocksOf(values),
      });
      const parts = partsOf(StoreItem.parse(details), 1 + random(40));
      const repeated = random(3) === 0 ? parts.slice(0, 1) : [];
      return async (call, user, model) => {
        for (const part of [...repeated, ...parts]) await send(call, user, part);
        model.storeDetails(key, span, values);
      };
    }
  }
}

/** What the series of a user holds. */
async function held(userId: string): Promise<[minute: number, value: number][]> {
  const rows = await database.query<{ minute: number; value: number }>(
    `select ((extract(epoch from x.ts) - $2) / 60)::int as minute, x.value
     from timeseries.sample x join timeseries.series s on s.id = x.series_id where s.user_id = $1 order by x.ts`,
    [userId, start / 1000],
  );
  return rows.map(({ minute, value }) => [minute, value]);
}

t.test('any sequence of stores, crops and deletions equals a simple model', async (t) => {
  const wrong: string[] = [];
  for (let seed = 1; seed <= lives; seed += 1) {
    const next = seeded(seed);
    const random: Random = (most) => Math.floor(next() * most);
    const model = new ActivityModel();
    const userId = randomUUID();
    for (let step = 0; step < 25; step += 1) {
      await stepOf(random)(step % 2 === 0 ? first.call : second.call, userId, model);
      const [have, want] = [await held(userId), model.expected()].map((rows) => JSON.stringify(rows));
      if (have !== want) wrong.push(`seed ${seed}, step ${step}: ${have} instead of ${want}`);
      if (have !== want) break;
    }
  }
  t.same(wrong, []);
  t.same(await wrongStatistics(database), []);
});

t.test('concurrent changes of two processes result in the last stored version of each', async (t) => {
  const wrong: string[] = [];
  for (let seed = 1; seed <= lives / 3; seed += 1) {
    const next = seeded(seed + 1000);
    const random: Random = (most) => Math.floor(next() * most);
    const userId = randomUUID();
    const inAnyOrder = new ActivityModel();
    const steps = Array.from({ length: 24 }, () => stepOf(random));
    await Promise.all(
      steps.map((step, index) => step(index % 2 === 0 ? first.call : second.call, userId, inAnyOrder)),
    );
    // The order is unknown, but a last version of each and a deletion determine the result.
    const model = new ActivityModel();
    const last = [0, 10, 20].map((from) => ({ from, to: from + 30 }));
    const values = last.map((span) => valuesOf(random, span));
    for (const [index, key] of keys.entries()) {
      await first.call('timeseries.deleteWorkout', { user_id: userId, provider: 'devicemaker', key });
      const [span, own] = [last[index] ?? { from: 0, to: 1 }, values[index] ?? new Map()];
      const record = workout(start + span.from * minuteMs, span.to - span.from);
      const details = { key, hash: randomUUID(), data_type: 'activityDetails', samples: blocksOf(own) };
      await send(second.call, userId, activity(record, details));
      model.storeDetails(key, span, own);
    }
    // The last version of the day is unknown, but all of its minutes are stored.
    const ofDay = inAnyOrder.dayMinutes();
    const rows = await held(userId);
    t.same(rows.filter(([minute]) => ofDay.has(minute)).length, ofDay.size, `seed ${seed}: the day is whole`);
    const have = rows.filter(([minute]) => !ofDay.has(minute));
    const want = model.expected().filter(([minute]) => !ofDay.has(minute));
    if (JSON.stringify(have) !== JSON.stringify(want)) wrong.push(`seed ${seed}: ${have} instead of ${want}`);
  }
  t.same(wrong, []);
  t.same(await wrongStatistics(database), []);
});
