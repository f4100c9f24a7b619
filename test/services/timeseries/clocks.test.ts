import t from 'tap';
import type { z } from 'zod';
import type { StoreItem } from '../../../domain/records/records.ts';
import { dayMs, hourMs, localDate, minuteMs } from '../../../domain/time/time.ts';
import { offsetMinutesIn } from '../../../domain/time/zone.ts';
import type { TestDatabase } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';
import { block, item, night, sleep } from './items.ts';
import { setUp, withUser } from './setting.ts';

const setting = await setUp(t);
const { call, database } = setting;

type Item = z.input<typeof StoreItem>;

/** A day of a person: the zone that they sleep in, from this night on. */
interface Stay {
  readonly zone: string;
  readonly nights: number;
}

const firstMs = Date.parse('2026-03-02T00:00:00Z');

interface Night {
  readonly startMs: number;
  readonly endMs: number;
  readonly offset: number;
  readonly date: string;
}

/** The nights of stays, from 23:00 to 7:00 by the clock of each place. A day of travel lies between two places. */
function nightsOf(stays: readonly Stay[]): Night[] {
  const zones = stays.flatMap(({ zone, nights }, travels) =>
    Array.from({ length: nights }, () => ({ zone, travels })),
  );
  return zones.map(({ zone, travels }, index) => {
    const localMs = firstMs + (index + travels) * dayMs + 7 * hourMs;
    const guess = offsetMinutesIn(zone, localMs) ?? 0;
    const offset = offsetMinutesIn(zone, localMs - guess * minuteMs) ?? guess;
    const endMs = localMs - offset * minuteMs;
    return { startMs: endMs - 8 * hourMs, endMs, offset, date: localDate(endMs, offset) };
  });
}

/** A night that states its offset. */
const nightItem = ({ startMs, endMs, offset }: Night, index: number, hash = ''): Item =>
  night([sleep(startMs, (endMs - startMs) / minuteMs, { zone_offset_minutes: offset, date: null })], {
    ...{ data_type: 'sleep', key: `night-${index}`, hash: `night ${index}${hash}`, supersede: 'latest' },
  });

/** A recovery that names its night. It is computed a while after it. */
const recoveryItem = ({ endMs }: Night, index: number, afterMs = 10 * minuteMs): Item => {
  const start_ms = endMs + afterMs;
  return item({
    ...{ data_type: 'recovery', key: `night-${index}`, hash: `recovery ${index}`, supersede: 'latest' },
    clock_of: 'sleep',
    scores: [
      {
        ...{ kind: 'recovery', value: 50 + index, label: null, components: {}, date: null },
        ...{ start_ms, end_ms: start_ms + dayMs, zone_offset_minutes: null, device: 'WHOOP' },
      },
    ],
    samples: [
      block('resting_heart_rate', [[start_ms, 50 + index]], { zone_offset_minutes: null, device: 'WHOOP' }),
    ],
  });
};

/** The values of a local night, as a clock shows them, without its offset. */
const localItem = ({ startMs, offset }: Night, index: number): Item => {
  const localMs = startMs + offset * minuteMs;
  return item({
    ...{
      data_type: 'recharge',
      key: `local-${index}`,
      hash: `local ${index}`,
      supersede: 'latest',
      is_local: true,
    },
    samples: [
      block(
        'heart_rate_variability_rmssd',
        [
          [localMs + 41 * minuteMs, 40 + index],
          [localMs + 5 * hourMs, 140 + index],
        ],
        { zone_offset_minutes: null, device: 'Local' },
      ),
    ],
  });
};

async function wearer(time_zone?: string) {
  const { id } = await call('users.create', time_zone === undefined ? {} : { time_zone });
  const store = (provider: 'whoop' | 'devicemaker' | 'polar', items: Item[]) =>
    call('timeseries.store', { user_id: id, provider, items });
  const list = { user_id: id, start_date: '2026-02-20', end_date: '2026-04-20' };
  return {
    ...withUser(database, call, id),
    store,
    /** The local day of each recovery, by its value, and of the sample with it. */
    async days() {
      const scores = await call('timeseries.scores', { ...list, kind: 'recovery', limit: 100 });
      const rows = await database.query<{ value: number; date: string }>(
        `select round(d.sum)::int as value, d.date::text as date from timeseries.sample_local_day d
         join timeseries.series s on s.id = d.series_id where s.user_id = $1 and s.type_id = 2 order by 1`,
        [id],
      );
      return {
        scores: scores.data.map(({ value, date }) => [value, date]).sort(),
        samples: rows.map(({ value, date }) => [value, date]),
      };
    },
    /** The instants of local values, by their values. */
    async instants() {
      const { data } = await call('timeseries.samples', {
        ...{ user_id: id, start_time: '2026-02-20', end_time: '2026-04-20', limit: 100 },
        types: ['heart_rate_variability_rmssd'],
      });
      return data
        .map(({ timestamp, value }): [number, number] => [value, Date.parse(timestamp)])
        .sort(([a], [b]) => a - b);
    },
  };
}

/** Orders of a list that a seed makes, each another one. */
function shuffled<T>(list: readonly T[], seed: number): T[] {
  let state = seed * 2_654_435_761 + 1;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return list
    .map((one) => ({ one, at: next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

const lives: readonly (readonly Stay[])[] = [
  [
    { zone: 'America/Los_Angeles', nights: 3 },
    { zone: 'Asia/Tokyo', nights: 3 },
  ],
  [
    { zone: 'Pacific/Auckland', nights: 2 },
    { zone: 'Pacific/Honolulu', nights: 2 },
    { zone: 'Europe/London', nights: 2 },
  ],
  [{ zone: 'Pacific/Kiritimati', nights: 3 }],
  [{ zone: 'Pacific/Pago_Pago', nights: 3 }],
  [
    { zone: 'Asia/Kathmandu', nights: 2 },
    { zone: 'America/St_Johns', nights: 2 },
  ],
  [{ zone: 'Europe/Berlin', nights: 2 }],
];

t.test(
  'whatever arrives first, recoveries are of the day on which their nights end, and local times of their clocks',
  async (t) => {
    for (const [life, stays] of lives.entries())
      for (const [order, zone] of [undefined, undefined, 'America/Chicago'].entries()) {
        const nights = nightsOf(stays);
        const user = await wearer(zone);
        const given = nights.flatMap((one, index) => [
          nightItem(one, index),
          recoveryItem(one, index),
          localItem(one, index),
        ]);
        for (const one of shuffled(given, life * 10 + order)) await user.store('whoop', [one]);
        const name = `${stays.map((stay) => stay.zone).join(', ')} in order ${order}, ${zone}`;
        const days = nights.map(({ date }, index) => [50 + index, date]);
        t.strictSame(await user.days(), { scores: days, samples: days }, name);
        const instants = nights.flatMap(({ startMs }, index) => [
          [40 + index, startMs + 41 * minuteMs],
          [140 + index, startMs + 5 * hourMs],
        ]);
        t.strictSame(
          await user.instants(),
          instants.sort(([a = 0], [b = 0]) => a - b),
          name,
        );
      }
  },
);

t.test(
  'a recovery of the hours after midnight belongs to the day of its night, also when it is read again',
  async (t) => {
    const [first] = nightsOf([{ zone: 'America/Los_Angeles', nights: 1 }]);
    if (first === undefined) throw new Error('no night');
    const user = await wearer();
    const late = recoveryItem(first, 0, 20 * hourMs);
    await user.store('whoop', [late]);
    await user.store('whoop', [nightItem(first, 0)]);
    const days = [[50, first.date]];
    t.strictSame(await user.days(), { scores: days, samples: days });
    await user.store('whoop', [{ ...late, hash: 'read again' }]);
    t.strictSame(await user.days(), { scores: days, samples: days });
  },
);

t.test('a corrected clock of a night moves what it placed, and applications hear of it', async (t) => {
  const [right] = nightsOf([{ zone: 'Asia/Tokyo', nights: 1 }]);
  if (right === undefined) throw new Error('no night');
  const user = await wearer();
  await user.store('polar', [localItem(right, 0), nightItem({ ...right, offset: 480 }, 0)]);
  t.strictSame(await user.instants(), [
    [40, right.startMs + 101 * minuteMs],
    [140, right.startMs + 6 * hourMs],
  ]);
  const changes = () =>
    database.query("select from changes.pending where user_id = $1 and kind = 'timeseries'", [user.userId]);
  await database.query('delete from changes.pending where user_id = $1', [user.userId]);
  await user.store('polar', [nightItem(right, 0, ' corrected')]);
  t.strictSame(await user.instants(), [
    [40, right.startMs + 41 * minuteMs],
    [140, right.startMs + 5 * hourMs],
  ]);
  t.ok((await changes()).length > 0);
});

t.test(
  'without a record near, the time zone counts, then the nearest clock of that time, never the newest',
  async (t) => {
    const spring = Date.parse('2026-03-10T23:30:00Z');
    const beat = (ms: number, key: string, zone_offset_minutes: number | null): Item =>
      item({
        key,
        hash: key,
        data_type: 'beats',
        samples: [block('heart_rate', [[ms, 60]], { zone_offset_minutes })],
      });
    const dates = async (userId: string) =>
      (
        await database.query<{ date: string; placed_by: number }>(
          `select timeseries.local_midnight(x.ts, x.zone_offset_minutes)::date::text as date, x.placed_by
         from timeseries.sample x join timeseries.series s on s.id = x.series_id
         where s.user_id = $1 and s.provider = 'whoop'`,
          [userId],
        )
      ).map(({ date, placed_by }) => [date, placed_by]);
    const user = await wearer();
    await user.store('whoop', [beat(spring, 'undated', null)]);
    t.strictSame(await dates(user.userId), [['2026-03-10', 5]], 'nothing is known');
    await user.store('devicemaker', [beat(spring + 30 * dayMs, 'newest', -600)]);
    t.strictSame(await dates(user.userId), [['2026-03-10', 4]]);
    await user.store('devicemaker', [beat(spring - 3 * dayMs, 'nearer', 540)]);
    t.strictSame(await dates(user.userId), [['2026-03-11', 4]]);
    await call('users.update', { user_id: user.userId, time_zone: 'America/New_York' });
    await partSpan(database, user.userId);
    t.strictSame(await dates(user.userId), [['2026-03-10', 3]], 'a time zone that is set later');
    await user.store('whoop', [
      nightItem({ startMs: spring + hourMs, endMs: spring + 9 * hourMs, offset: 60, date: '' }, 0),
    ]);
    t.strictSame(await dates(user.userId), [['2026-03-11', 2]], 'the night of the provider');
  },
);

/** Waits until nothing of a user is to be placed anew. */
async function partSpan(database: TestDatabase, userId: string): Promise<void> {
  await until(async () => {
    const due = await database.query(
      'select from timeseries.placed_span where user_id = $1 and due_from is not null',
      [userId],
    );
    return due.length === 0;
  });
}
