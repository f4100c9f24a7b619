import t from 'tap';
import { dateAfter } from '../../../domain/insights/day-results.ts';
import { recompute } from '../../../services/insights/work/recompute.ts';
import { randomFrom } from '../freshness/random.ts';
import { ofType } from '../webhooks/setting.ts';
import { dayItem, firstDate, itemsOfDay, nightItem, runItems, startInsights, vitalsItem } from './setting.ts';

const s = await startInsights(t);
const dayCount = 70;

const allItems = (count = dayCount) => {
  const random = randomFrom(7);
  return Array.from({ length: count }, (_, index) => itemsOfDay(index, random));
};

/** A user whose days are all stored and computed at once. */
async function wearer(count = dayCount) {
  const id = await s.user();
  for (const items of allItems(count)) await s.store(id, items);
  await s.work(id);
  return id;
}

const whole = await wearer();
const expected = await s.days(whole);

t.test('a year from nothing equals day after day, and any order of arrival', async (t) => {
  t.equal(expected.length, dayCount);
  const [stepwise, shuffled] = [await s.user(), await s.user()];
  for (const [index, items] of allItems().entries()) {
    await s.store(stepwise, items);
    if (index % 10 === 0) await s.work(stepwise);
  }
  await s.work(stepwise);
  const random = randomFrom(3);
  const mixed = allItems()
    .flat()
    .map((one) => ({ one, place: random() }))
    .toSorted((a, b) => a.place - b.place);
  for (const [index, { one }] of mixed.entries()) {
    await s.store(shuffled, [one]);
    if (index % 60 === 0) await s.work(shuffled);
  }
  await s.work(shuffled);
  t.same(await s.days(stepwise), expected);
  t.same(await s.days(shuffled), expected);
  t.same(await s.work(whole), [], 'nothing is due');
});

t.test('a deleted night leaves what would be without it', async (t) => {
  const [id, without] = [await wearer(), await s.user()];
  const gone = 30;
  for (const [index, [nightOf, ...rest]] of allItems().entries())
    await s.store(without, index === gone || nightOf === undefined ? rest : [nightOf, ...rest]);
  await s.work(without);
  const [row] = await s.database.query<{ key: string }>(
    'select key from timeseries.sleep_session where user_id = $1 and date = $2',
    [id, dateAfter(firstDate, gone)],
  );
  await s.call('timeseries.deleteItems', {
    ...{ user_id: id, provider: 'devicemaker', sleeps: [row?.key ?? ''], samples: [] },
  });
  const changed = await s.work(id);
  t.same(await s.days(id), await s.days(without));
  t.equal(changed[0], dateAfter(firstDate, gone));
  t.ok(changed.length > 28, `${changed.length} days depend on it`);
});

t.test('a night that is scored again changes the days that depend on it, and no other', async (t) => {
  const id = await wearer();
  const before = await s.settled(id);
  const index = 2;
  const again = nightItem(index, randomFrom(99), 45);
  await s.store(id, [{ ...again, hash: 'again' }]);
  const changed = await s.work(id);
  const days = await s.days(id);
  const differing = days.filter((day, at) => JSON.stringify(day) !== JSON.stringify(expected[at]));
  t.same(
    changed,
    differing.map(({ date }) => date),
  );
  const last = changed.at(-1) ?? '';
  t.equal(changed[0], dateAfter(firstDate, index));
  t.ok(last <= dateAfter(firstDate, index + 60), `${last} is the last of ${changed.length} days`);
  t.ok(changed.length > 20, `${changed.length} days depend on it`);
  const events = ofType((await s.settled(id)).slice(before.length), 'insight.updated');
  t.same(events.map(({ data }) => data.date).toSorted(), changed, 'one event a changed day');
  t.match(events.find(({ data }) => data.date === last)?.data, {
    methods: ['baseline'],
    url: `/api/v1/users/${id}/insights?start_date=${last}&end_date=${last}`,
  });
  await s.store(id, [{ ...again, hash: 'third' }]);
  t.same(await s.work(id), [], 'the same night in a new version changes nothing');
});

t.test('a late run changes the loads of all later days, and no baseline', async (t) => {
  const id = await wearer();
  await s.store(id, runItems(40, randomFrom(5), 150));
  const changed = await s.work(id);
  t.same(
    changed,
    expected.slice(40).map(({ date }) => date),
  );
  const days = await s.days(id);
  t.same(
    days.map(({ baseline_28, baseline_60 }) => ({ baseline_28, baseline_60 })),
    expected.map(({ baseline_28, baseline_60 }) => ({ baseline_28, baseline_60 })),
  );
  t.not(JSON.stringify(days[69]?.training), JSON.stringify(expected[69]?.training));
});

t.test('values equal those of the methods', async (t) => {
  const rates = expected.map(({ facts }) => {
    const values = facts.values;
    return values instanceof Object && 'resting_heart_rate' in values ? values.resting_heart_rate : null;
  });
  t.ok(rates.every((one) => Array.isArray(one) && one[1] === 'devicemaker' && one[3] === 1));
  const { data } = await s.call('insights.baselines', {
    ...{
      user_id: whole,
      start_date: dateAfter(firstDate, 40),
      end_date: dateAfter(firstDate, 40),
      explain: true,
    },
  });
  const [item] = data;
  const resting = item?.measures.find(({ measure }) => measure === 'resting_heart_rate');
  const known = rates.slice(12, 40).map((one) => (Array.isArray(one) ? Number(one[0]) : Number.NaN));
  const middle = (list: number[]) => {
    const sorted = list.toSorted((a, b) => a - b);
    return ((sorted[13] ?? 0) + (sorted[14] ?? 0)) / 2;
  };
  const spread = 1.4826 * middle(known.map((one) => Math.abs(one - middle(known))));
  t.ok(Math.abs((resting?.median ?? 0) - middle(known)) < 1e-9);
  t.ok(Math.abs((resting?.spread ?? 0) - spread) < 1e-9);
  t.match(resting, { days: 28, confidence: 1, reason: null });
  t.match(item?.methods, [
    { name: 'baseline', version: 1, page: 'docs/insights/baseline.md' },
    { name: 'deviation' },
  ]);
  t.match(
    item?.inputs?.find(({ measure }) => measure === 'resting_heart_rate'),
    {
      ...{ start_date: dateAfter(firstDate, 12), end_date: dateAfter(firstDate, 40), days: 29 },
      source: { provider: 'devicemaker', device: 'Watch 7' },
    },
  );
});

t.test('two processes at once and a process that is killed compute each day once', async (t) => {
  const id = await s.user();
  for (const items of allItems(20)) await s.store(id, items);
  await s.follow();
  const broken = {
    ...s.own,
    database: {
      ...s.own.database,
      pool: s.own.database.pool,
      query: s.own.database.query,
      transaction: () => Promise.reject(new Error('killed')),
    },
  };
  await t.rejects(recompute(broken, id), /killed/);
  t.same(await s.days(id), [], 'nothing is half done');
  const both = await Promise.all([recompute(s.own, id), recompute(s.own, id)]);
  t.same(both.map((dates) => dates.length).toSorted(), [0, 20]);
  t.same(
    (await s.days(id)).map(({ facts }) => facts),
    expected.slice(0, 20).map(({ facts }) => facts),
  );
  t.same(
    ofType(await s.settled(id), 'insight.updated'),
    [],
    'the first values of past days are not reported',
  );
});

t.test('a change while inputs are read leaves the day due', async (t) => {
  const id = await s.user();
  await s.store(id, [vitalsItem(0, randomFrom(1)), dayItem(0, randomFrom(1))]);
  await s.work(id);
  await s.store(id, [{ ...dayItem(0, randomFrom(2)), hash: 'second' }]);
  await s.follow();
  const call: typeof s.own.call = async (name, params) => {
    const answer = await s.own.call(name, params);
    if (name === 'summaries.activity') {
      await s.store(id, [{ ...dayItem(0, randomFrom(3)), hash: 'third' }]);
      await s.follow();
    }
    return answer;
  };
  await recompute({ ...s.own, call }, id);
  const steps = async () => JSON.stringify((await s.days(id))[0]?.facts.values);
  const early = await steps();
  t.same(await s.work(id), [firstDate]);
  t.not(await steps(), early);
});

t.test('so does a change while the inputs of a user are read for the first time', async (t) => {
  const id = await s.user();
  await s.store(id, [dayItem(0, randomFrom(1))]);
  await s.follow();
  const call: typeof s.own.call = async (name, params) => {
    const answer = await s.own.call(name, params);
    if (name === 'summaries.activity') {
      await s.store(id, [dayItem(1, randomFrom(2))]);
      await s.follow();
    }
    return answer;
  };
  await recompute({ ...s.own, call }, id);
  await s.work(id);
  t.same(
    (await s.days(id)).map(({ date }) => date),
    [firstDate, dateAfter(firstDate, 1)],
  );
});

t.test('data of a provider that is purged leaves what the others sent', async (t) => {
  const [id, without] = [await s.user(), await s.user()];
  for (const user of [id, without])
    await s.store(user, [dayItem(0, randomFrom(1)), dayItem(3, randomFrom(2))]);
  await s.store(id, [...itemsOfDay(1, randomFrom(3)), vitalsItem(3, randomFrom(4))], 'withings');
  t.equal((await s.work(id)).length, 3);
  await s.work(without);
  await s.database.query("delete from timeseries.series where user_id = $1 and provider = 'withings'", [id]);
  await s.database.query(
    "delete from timeseries.sleep_session where user_id = $1 and provider = 'withings'",
    [id],
  );
  await s.database.query("delete from timeseries.provider_day where user_id = $1 and provider = 'withings'", [
    id,
  ]);
  t.ok((await s.work(id)).length > 0);
  t.same(await s.days(id), await s.days(without));
});

t.test('days of former methods are computed anew by a read, from inputs that are read anew', async (t) => {
  const id = await wearer(10);
  const before = await s.days(id);
  await s.database.query("update insights.computed set methods = 'old' where user_id = $1", [id]);
  await s.database.query(
    `update insights.day set scores = '{}', facts = facts || '{"spans": [[600, 601]]}' where user_id = $1`,
    [id],
  );
  const query = { user_id: id, start_date: firstDate, end_date: dateAfter(firstDate, 9) };
  const { data } = await s.call('insights.days', query);
  t.equal(data.length, 10);
  t.ok(data.at(-1)?.sleep_score.value);
  t.same(await s.days(id), before);
});

t.test('the inputs name the oldest of the bedtimes that were used', async (t) => {
  const id = await s.user();
  const random = randomFrom(11);
  // Nights of every second day: the 14 before the last one begin 28 days before it.
  for (let index = 0; index <= 40; index += 2) await s.store(id, [nightItem(index, random)]);
  await s.store(id, [dayItem(41, random)]);
  await s.work(id);
  const inputsOf = async (index: number) => {
    const date = dateAfter(firstDate, index);
    const query = { user_id: id, start_date: date, end_date: date, explain: true };
    const { data } = await s.call('insights.days', query);
    return data[0]?.inputs?.find(({ measure }) => measure === 'bedtimes');
  };
  t.match(await inputsOf(40), {
    start_date: dateAfter(firstDate, 12),
    end_date: dateAfter(firstDate, 40),
    days: 15,
  });
  t.match(await inputsOf(6), { start_date: firstDate, days: 4 });
  const last = dateAfter(firstDate, 41);
  t.match(await inputsOf(41), { start_date: last, end_date: last, days: 0 }, 'without a night none is used');
});
