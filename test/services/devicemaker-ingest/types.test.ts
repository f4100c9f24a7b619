import t from 'tap';
import { z } from 'zod';
import { dataTypes } from '../../../providers/devicemaker/data-types.ts';
import { type TypeCase, typeCases, typesRange } from '../../fixtures/devicemaker/types.ts';
import { createWearer, push, startApi } from '../../support/api.ts';
import { readAll } from '../../support/read-all.ts';

const api = await startApi(t, { RATE_LIMIT_API_KEY: '100000' });
const Answer = z.object({
  processed: z.int(),
  saved: z.int(),
  placeholders: z.int(),
  errors: z.array(z.string()),
  activities: z.array(z.object({ status: z.string() })),
  wellness: z.record(z.string(), z.object({ processed: z.int(), saved: z.int() })),
});

async function send(body: object) {
  const answer = await push(api, body);
  t.equal(answer.status, 200);
  return Answer.parse(answer.body);
}

const Total = z.object({ pagination: z.object({ total_count: z.int() }) });

async function totals(userId: string) {
  const total = async (path: string, from: string, to: string) => {
    const range = `${from}=${typesRange.start}&${to}=${typesRange.end}&limit=1`;
    return Total.parse(await api.expect(200, `/users/${userId}/${path}?${range}`)).pagination.total_count;
  };
  return {
    samples: await total('timeseries', 'start_time', 'end_time'),
    workouts: await total('events/workouts', 'start_date', 'end_date'),
    sleeps: await total('events/sleep', 'start_date', 'end_date'),
    others: await total('events/other', 'start_date', 'end_date'),
  };
}

// Activities are counted at the top level, other types under the sent key.
function countsOf(key: string, { type }: Pick<TypeCase, 'type'>, answer: z.infer<typeof Answer>) {
  const { processed, saved } = answer;
  return type === 'activities' ? { processed, saved } : answer.wellness[key];
}

t.test('the table contains every data type under every name', async (t) => {
  const known = dataTypes.map(({ name, alsoSentAs }) => [name, ...alsoSentAs]);
  const tested = typeCases.map(({ spellings }) => spellings);
  t.same(tested.toSorted(), known.toSorted());
});

for (const one of typeCases)
  t.test(`${one.type}: full-size items result in exact rows; a repetition changes nothing`, async (t) => {
    const { userId, account } = await createWearer(api);
    const [items, key] = [one.items(account), one.type];
    const body = { [key]: items };
    const first = await send(body);
    t.same(countsOf(key, one, first), { processed: items.length, saved: items.length });
    t.same(first.errors, []);
    t.equal(first.placeholders, one.placeholders ?? 0);
    const stored = await readAll(api, userId, typesRange);
    t.same(Object.keys(stored.samples).sort(), Object.keys(one.samples).sort());
    for (const [type, samples] of Object.entries(one.samples)) t.same(stored.samples[type], samples, type);
    t.same(stored.devices, Object.keys(one.samples).length === 0 ? [] : [one.device]);
    t.same(stored.workouts, one.workouts ?? []);
    t.same(stored.sleeps, one.sleeps ?? []);
    t.same(stored.others, one.others ?? []);
    const again = await send(body);
    t.same(countsOf(key, one, again), { processed: items.length, saved: 0 });
    t.same(await totals(userId), {
      samples: Object.values(one.samples).flat().length,
      workouts: stored.workouts.length,
      sleeps: stored.sleeps.length,
      others: stored.others.length,
    });
  });

for (const { type, spellings, items } of typeCases)
  t.test(`${type}: an item is a duplicate under another name of its type`, async (t) => {
    const { account } = await createWearer(api);
    const all = items(account).slice(0, 3);
    const [first = type, ...others] = spellings;
    await send({ [first]: all });
    for (const key of [...others, first]) {
      const again = await send({ [key]: all });
      t.same(again.saved, 0);
      t.same(
        Object.values(again.wellness).map(({ saved }) => saved),
        type === 'activities' ? [] : [0],
      );
    }
  });

for (const { type, spellings, items } of typeCases)
  t.test(
    `${type}: a good item between two broken ones is stored, and the broken ones are named`,
    async (t) => {
      const { account } = await createWearer(api);
      const [key = type] = spellings;
      const [good] = items(account);
      const answer = await send({ [key]: [{ userId: account }, good, 'no item'] });
      t.match(countsOf(key, { type }, answer), { processed: 3, saved: 1 });
      t.match(answer.errors[0], new RegExp(`^${key}\\[0\\]: .*(is required|has none of)`));
      t.equal(answer.errors.at(-1), `${key}[2]: must be an object`);
    },
  );

t.test('a day with all types in one delivery is stored completely', async (t) => {
  const { userId, account } = await createWearer(api);
  const body = Object.fromEntries(typeCases.map(({ type, items }) => [type, items(account)]));
  const answer = await send(body);
  for (const one of typeCases) {
    const count = one.items(account).length;
    t.same(countsOf(one.type, one, answer), { processed: count, saved: count }, one.type);
  }
  const stored = await readAll(api, userId, typesRange);
  t.equal(
    stored.workouts.length,
    1,
    'the activity and its details are one workout, the found movement is none',
  );
  t.equal(stored.others.length, 2);
});
