import t from 'tap';
import { z } from 'zod';
import { dayStart } from '../../fixtures/devicemaker/dailies.ts';
import { epoch, epochs, sedentaryMinutes } from '../../fixtures/devicemaker/epochs.ts';
import { typesRange } from '../../fixtures/devicemaker/types.ts';
import { createWearer, push, startApi } from '../../support/api.ts';
import { readAll } from '../../support/read-all.ts';

const api = await startApi(t, { RATE_LIMIT_API_KEY: '100000' });
const Answer = z.object({
  errors: z.array(z.string()),
  wellness: z.object({ epochs: z.object({ processed: z.int(), saved: z.int() }) }),
});

async function savedOf(...items: object[]): Promise<number> {
  return Answer.parse((await push(api, { epochs: items })).body).wellness.epochs.saved;
}

/** The one value of each series of a single slot. */
async function slotOf(userId: string): Promise<Record<string, number | undefined>> {
  const { samples } = await readAll(api, userId, typesRange);
  for (const [type, own] of Object.entries(samples))
    if (own.length !== 1 || own[0]?.[0] !== '2025-06-03T06:00:00Z') throw new Error(`${type}: ${own.join()}`);
  return Object.fromEntries(Object.entries(samples).map(([type, [one]]) => [type, one?.[1]]));
}

const walk = (account: string, changes: Record<string, unknown> = {}) => epoch(account, 'WALKING', changes);
const ride = (account: string, changes: Record<string, unknown> = {}) =>
  epoch(account, 'CYCLING', {
    activeTimeInSeconds: 600,
    steps: 7,
    distanceInMeters: 2400.1,
    activeKilocalories: 70,
    met: 6,
    intensity: 'HIGHLY_ACTIVE',
    ...changes,
  });

const both = {
  steps: 107,
  energy: 82,
  distance_walking_running: 80.5,
  distance_cycling: 2400.1,
  average_met: 5,
};

t.test('the parts of a slot are added up, their MET weighted by the active time', async (t) => {
  const { userId, account } = await createWearer(api);
  t.equal(await savedOf(walk(account), ride(account)), 2);
  t.same(await slotOf(userId), both);
});

t.test('values keep all decimals', async (t) => {
  const { userId, account } = await createWearer(api);
  const third = { met: 10 / 3, activeKilocalories: 10 / 3, distanceInMeters: 10 / 3 };
  await savedOf(walk(account, third));
  const thirds = { energy: 10 / 3, distance_walking_running: 10 / 3, average_met: 10 / 3 };
  t.match(await slotOf(userId), thirds);
  const changes = { met: 1.123456789012, activeKilocalories: 0.1000000123, distanceInMeters: 80.123456789 };
  await savedOf(walk(account, changes));
  const one = { energy: 0.1000000123, distance_walking_running: 80.123456789, average_met: 1.123456789012 };
  t.match(await slotOf(userId), one);
  await savedOf(ride(account, { met: 2, activeKilocalories: 0.2 }));
  t.match(await slotOf(userId), { energy: 0.3000000123, average_met: 1.70781892967067 });
});

t.test('parts of concurrent deliveries are all in the sum', async (t) => {
  const { userId, account } = await createWearer(api);
  const kinds = Array.from({ length: 12 }, (_, n) => `KIND_${n}`);
  await Promise.all(
    kinds.map((kind, n) => savedOf(epoch(account, kind, { steps: n + 1, activeTimeInSeconds: 75 }))),
  );
  t.match(await slotOf(userId), { steps: 78, energy: 144, distance_walking_running: 966, average_met: 3 });
});

/** A part by its type, its active time and its number of steps. */
type Sent = readonly [activityType: string, seconds: number | null, steps: number];

const slotCases: readonly (readonly [
  claim: string,
  deliveries: readonly (readonly Sent[])[],
  steps: number,
])[] = [
  [
    'parts that fit are added up',
    [
      [
        ['WALKING', 600, 1],
        ['GENERIC', 300, 10],
      ],
    ],
    11,
  ],
  [
    'a slot that is sent again with another type replaces the older part',
    [[['WALKING', 600, 1]], [['RUNNING', 600, 10]]],
    10,
  ],
  [
    'what still fits beside the newer part stays',
    [
      [
        ['WALKING', 600, 1],
        ['SEDENTARY', 300, 100],
      ],
      [['RUNNING', 600, 10]],
    ],
    110,
  ],
  [
    'the newest that fit: an older part is passed over, one older still fits',
    [[['SEDENTARY', 200, 100]], [['WALKING', 600, 1]], [['RUNNING', 700, 10]]],
    110,
  ],
  [
    'of one delivery the later part counts',
    [
      [
        ['RUNNING', 900, 10],
        ['WALKING', 900, 1],
      ],
    ],
    1,
  ],
  [
    'a part comes back when the newer one shrinks',
    [[['WALKING', 600, 1]], [['RUNNING', 600, 10]], [['RUNNING', 300, 20]]],
    21,
  ],
  ['a part without active time needs no room', [[['WALKING', null, 1]], [['RUNNING', 900, 10]]], 11],
  [
    'a part that is active for longer than its slot leaves room for none',
    [[['WALKING', 60, 1]], [['GENERIC', null, 100]], [['RUNNING', 1200, 10]]],
    110,
  ],
];

for (const [claim, deliveries, steps] of slotCases)
  t.test(`a slot: ${claim}`, async (t) => {
    const { userId, account } = await createWearer(api);
    const sent = ([activityType, seconds, count]: Sent) =>
      epoch(account, activityType, { activeTimeInSeconds: seconds, steps: count });
    for (const parts of deliveries) await savedOf(...parts.map(sent));
    t.match(await slotOf(userId), { steps });
    for (const parts of deliveries.slice(-1)) t.equal(await savedOf(...parts.map(sent)), 0);
    t.match(await slotOf(userId), { steps }, 'the last delivery again changes nothing');
  });

t.test('without a length a slot has a quarter of an hour', async (t) => {
  const { userId, account } = await createWearer(api);
  const part = (activityType: string, steps: number, seconds: number) =>
    epoch(account, activityType, { durationInSeconds: null, activeTimeInSeconds: seconds, steps });
  await savedOf(part('WALKING', 1, 600), part('RUNNING', 10, 300));
  t.match(await slotOf(userId), { steps: 11 });
  await savedOf(part('CYCLING', 100, 301));
  t.match(await slotOf(userId), { steps: 110 });
});

t.test('replaced parts do not count as sedentary time', async (t) => {
  const { userId, account } = await createWearer(api);
  const still = { intensity: 'SEDENTARY', activeTimeInSeconds: 900 };
  await savedOf(epoch(account, 'SEDENTARY', still));
  t.same(await sedentary(userId), [['2025-06-03', 15]]);
  await savedOf(
    epoch(account, 'WALKING', { activeTimeInSeconds: 600 }),
    epoch(account, 'GENERIC', { ...still, activeTimeInSeconds: 300 }),
  );
  t.same(await sedentary(userId), [['2025-06-03', 5]]);
  await savedOf(
    epoch(account, 'WALKING', { activeTimeInSeconds: 0 }),
    epoch(account, 'GENERIC', { activeTimeInSeconds: 0 }),
  );
  t.same(await sedentary(userId), [['2025-06-03', 15]], 'and is again when there is room for it');
});

t.test(
  'a value that a newer version lacks lowers the sum; without values the sample is deleted',
  async (t) => {
    const { userId, account } = await createWearer(api);
    await savedOf(walk(account), ride(account));
    const { steps: _, distanceInMeters: __, ...less } = walk(account);
    t.equal(await savedOf(less), 1);
    const { distance_walking_running: ___, ...rest } = both;
    t.same(await slotOf(userId), { ...rest, steps: 7 });
    const { steps: ____, ...none } = ride(account);
    t.equal(await savedOf(none), 1);
    const { steps: _____, ...left } = rest;
    t.same(await slotOf(userId), left);
  },
);

t.test('repeated parts are duplicates, also under another name of their type', async (t) => {
  const { userId, account } = await createWearer(api);
  await savedOf(walk(account), ride(account));
  t.equal(await savedOf(ride(account), walk(account)), 0);
  t.equal(await savedOf(walk(account, { activityType: ' walking' })), 1, 'other content of the same part');
  t.same(await slotOf(userId), both);
});

const sedentary = async (userId: string) => {
  const Page = z.object({
    data: z.array(z.object({ date: z.string(), sedentary_minutes: z.int().nullable() })),
  });
  const range = `start_date=${typesRange.start}&end_date=${typesRange.end}`;
  return Page.parse(await api.expect(200, `/users/${userId}/summaries/activity?${range}`)).data.map(
    ({ date, sedentary_minutes }) => [date, sedentary_minutes],
  );
};

t.test('the sedentary minutes of a day are those of its parts, on their local day', async (t) => {
  const { userId, account } = await createWearer(api);
  await savedOf(...epochs(account));
  t.same(await sedentary(userId), [['2025-06-03', sedentaryMinutes]]);
  const late = { startTimeInSeconds: dayStart + 24 * 3600, activeTimeInSeconds: 900, intensity: 'sedentary' };
  await savedOf(epoch(account, 'SEDENTARY', late));
  t.same(await sedentary(userId), [
    ['2025-06-03', sedentaryMinutes],
    ['2025-06-04', 15],
  ]);
});

t.test('sedentary minutes are 0 if measured, null if not sent', async (t) => {
  const { userId, account } = await createWearer(api);
  await savedOf(walk(account));
  t.same(await sedentary(userId), [['2025-06-03', 0]]);
  const silent = await createWearer(api);
  await savedOf(walk(silent.account, { intensity: null }));
  t.same(await sedentary(silent.userId), [['2025-06-03', null]]);
});

t.test('omits and names invalid fields, and keeps the rest of a part', async (t) => {
  const { userId, account } = await createWearer(api);
  const broken = walk(account, { steps: -1, met: 51, intensity: 'LAZY', activeTimeInSeconds: 'long' });
  const { errors } = Answer.parse((await push(api, { epochs: [broken] })).body);
  t.same(errors, [
    'epochs[0] (x3a1f-WALKING-384): activeTimeInSeconds: must be a number',
    'epochs[0] (x3a1f-WALKING-384): steps: must be 0 to 1000000',
    'epochs[0] (x3a1f-WALKING-384): met: must be 0 to 50',
    'epochs[0] (x3a1f-WALKING-384): intensity: is not known',
  ]);
  t.same(await slotOf(userId), { energy: 12, distance_walking_running: 80.5 });
});
