import t from 'tap';
import { sleepRanks } from '../../../domain/records/records.ts';
import { at, item, night, sleep } from './items.ts';
import { anotherUser, setUp } from './setting.ts';

const { database, call } = await setUp(t);

type Validity = keyof typeof sleepRanks;

/** A delivery: its record (those of one key begin at one instant), its validity, its length in hours. */
type Delivery = readonly [record: 'a' | 'b' | 'c', validity: Validity, hours: number, inBedHours?: number];

const startOf = { a: at('22:00:00'), b: at('22:10:00'), c: at('22:20:00') };
let deliveries = 0;

function itemOf([record, validity, hours, inBedHours = hours]: Delivery) {
  deliveries += 1;
  const session = sleep(startOf[record], inBedHours * 60, {
    rank: sleepRanks[validity],
    asleep_seconds: hours * 3600,
  });
  return night([session], { key: record, hash: `delivery ${deliveries}` });
}

const another = () => anotherUser({ database, call });

/** The hours of the night that counts after the deliveries, each in a call of its own or all in one. */
async function standing(given: readonly Delivery[], together: boolean): Promise<unknown[]> {
  const { store, userId } = await another();
  const items = given.map(itemOf);
  if (together) await store(items);
  else for (const item of items) await store([item]);
  return database.query(
    `select key, asleep_seconds / 3600.0::float8 as hours, extract(epoch from end_time - start_time) / 3600.0::float8 as bed
     from timeseries.sleep_session where user_id = $1`,
    [userId],
  );
}

const cases: readonly (readonly [claim: string, given: readonly Delivery[], stands: number])[] = [
  [
    'a tentative sleep does not replace one without validation',
    [
      ['a', 'unknown', 8],
      ['b', 'tentative', 4],
    ],
    0,
  ],
  [
    'a sleep without validation replaces a longer tentative one',
    [
      ['a', 'tentative', 8],
      ['b', 'unknown', 4],
    ],
    1,
  ],
  [
    'a final sleep replaces a longer tentative one',
    [
      ['a', 'tentative', 8],
      ['b', 'final', 4],
    ],
    1,
  ],
  [
    'of two records the longer counts, final or without validation',
    [
      ['a', 'final', 7],
      ['b', 'unknown', 8],
    ],
    1,
  ],
  [
    'of two records the longer counts, in the other order',
    [
      ['b', 'unknown', 8],
      ['a', 'final', 7],
    ],
    0,
  ],
  [
    'of one record the final sleep counts before a longer one',
    [
      ['a', 'final', 7],
      ['a', 'unknown', 8],
    ],
    0,
  ],
  [
    'of one record the final sleep counts, in the other order',
    [
      ['a', 'unknown', 8],
      ['a', 'final', 7],
    ],
    1,
  ],
  [
    'a record that was final is not replaced by its longer version, even if the final one was superseded',
    [
      ['a', 'final', 7],
      ['b', 'final', 6],
      ['b', 'unknown', 8],
    ],
    0,
  ],
  [
    'a record that becomes final counts before its earlier, longer version',
    [
      ['a', 'final', 7],
      ['b', 'unknown', 8],
      ['b', 'final', 6],
    ],
    2,
  ],
  [
    'a third record without validation equals a final one',
    [
      ['a', 'final', 7],
      ['b', 'final', 6],
      ['c', 'unknown', 8],
    ],
    2,
  ],
  [
    'of two equally valid ones the longer counts',
    [
      ['a', 'final', 7],
      ['b', 'final', 8],
      ['c', 'final', 7.5],
    ],
    1,
  ],
  [
    'time asleep takes precedence over time in bed',
    [
      ['a', 'final', 8],
      ['b', 'final', 7.5, 9],
    ],
    0,
  ],
  [
    'of equal time asleep the longer time in bed counts',
    [
      ['a', 'final', 7, 8],
      ['b', 'final', 7, 7.5],
    ],
    0,
  ],
  [
    'of equal time asleep the longer time in bed counts, later',
    [
      ['b', 'final', 7, 7.5],
      ['a', 'final', 7, 8],
    ],
    1,
  ],
  [
    'of equal lengths the later delivery counts',
    [
      ['a', 'final', 7],
      ['b', 'final', 7],
    ],
    1,
  ],
];

for (const [claim, given, stands] of cases)
  for (const together of [false, true])
    t.test(`${claim}${together ? ', in one call' : ''}`, async (t) => {
      const [key, , hours, bed = hours] = given[stands] ?? [];
      t.same(await standing(given, together), [{ key, hours, bed }]);
    });

t.test('a final sleep that was stored before versions had a mark counts too', async (t) => {
  const { store, userId } = await another();
  await store([itemOf(['a', 'final', 7])]);
  await database.query('update timeseries.item set was_final = false where user_id = $1', [userId]);
  const [outcome] = await store([itemOf(['a', 'unknown', 8])]);
  t.equal(outcome?.status, 'stale');
});

t.test(
  'a stored version of a record that was final is replaced by a shorter sleep of another record',
  async (t) => {
    const { store, userId } = await another();
    await store([itemOf(['a', 'final', 8])]);
    await store([itemOf(['b', 'final', 7])]);
    await store([item({ key: 'b' })]); // of another data type
    await database.query('delete from timeseries.sleep_session where user_id = $1', [userId]);
    t.match(await store([itemOf(['b', 'unknown', 8])]), [{ status: 'replaced' }]);
    t.match(await store([itemOf(['c', 'unknown', 5])]), [{ status: 'replaced' }]);
  },
);

t.test('a final sleep marks no record of another provider, and none of another key', async (t) => {
  const { store } = await another();
  await store([itemOf(['a', 'final', 6])], 'activitynet');
  await store([night([sleep(at('22:00:00', '2026-02-20'), 400, { rank: sleepRanks.final })])]);
  const outcomes = await store([itemOf(['a', 'unknown', 8]), itemOf(['b', 'unknown', 7])]);
  t.match(outcomes, [{ status: 'saved' }, { status: 'stale' }]);
});

t.test('a superseded final sleep is stored once nothing overlaps it any more', async (t) => {
  const { store, userId } = await another();
  await store([itemOf(['a', 'final', 8])]);
  const lost = itemOf(['b', 'final', 7]);
  t.match(await store([lost]), [{ status: 'stale' }]);
  await database.query('delete from timeseries.sleep_session where user_id = $1', [userId]);
  t.match(await store([lost]), [{ status: 'replaced' }]);
});

t.test(
  'of an item whose latest version counts, a shorter sleep replaces a longer one of its key alone',
  async (t) => {
    const { store, userId } = await another();
    const latest = (delivery: Delivery) => ({ ...itemOf(delivery), supersede: 'latest' as const });
    await store([latest(['a', 'final', 8])]);
    t.match(await store([latest(['b', 'final', 6])]), [{ status: 'stale' }], 'a shorter one of another key');
    for (const hours of [7, 7.5, 6])
      t.match(await store([latest(['a', 'final', hours])]), [{ status: 'replaced' }]);
    t.same(
      await database.query('select key, asleep_seconds from timeseries.sleep_session where user_id = $1', [
        userId,
      ]),
      [{ key: 'a', asleep_seconds: 6 * 3600 }],
    );
  },
);
