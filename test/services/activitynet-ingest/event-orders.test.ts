import t from 'tap';
import { run, streams } from '../../fixtures/activitynet/activities.ts';
import { seeded } from '../timeseries/model.ts';
import { wrongStatistics } from '../timeseries/statistics.ts';
import { setUp } from './setting.ts';

// `npm run test:faults -- properties` takes more of them.
const lives = Number(process.env.LIVES ?? 10);
const year = { start_date: '2026-01-01', end_date: '2027-01-01' };
const settings = { ACTIVITYNET_READS_PER_DAY: '100000', ACTIVITYNET_READS_PER_15_MIN: '100000' };
const s = await setUp(t, { settings, processes: 2 });
s.provider.limits = { quarter: 100_000, day: 100_000 };
s.provider.ahead = 0;

interface Sent {
  readonly object_id: number;
  readonly aspect_type: 'create' | 'update' | 'delete';
  readonly event_time: number;
}

const aspects = ['create', 'update', 'delete'] as const;

/** One user whose two activities come, change and go, with events that are late, repeated or in another order. */
async function history(seed: number) {
  const next = seeded(seed);
  const random = (most: number) => Math.floor(next() * most);
  const { id: user, account } = await s.person();
  const own = [18_000_000_000 + seed * 2, 18_000_000_001 + seed * 2];
  const began = Math.floor(Date.now() / 1000) - 30;
  const open: Sent[] = [];
  const deliver = async (events: readonly Sent[]) => {
    for (const fields of events) await s.send({ owner_id: Number(account), ...fields });
  };
  for (let step = 0; step < 16; step += 1) {
    const object_id = own[random(2)] ?? 0;
    const isThere = s.provider.activities.has(String(object_id));
    const aspect_type = !isThere ? 'create' : (aspects[1 + random(2)] ?? 'update');
    change(object_id, aspect_type, `${seed} ${step}`, own.indexOf(object_id));
    open.push({ object_id, aspect_type, event_time: began + step });
    // Some arrive at once, two by two; the others late and in another order, and some twice.
    open.sort(() => random(3) - 1);
    const arriving = open.splice(0, random(4));
    if (random(4) === 0) open.push(...arriving.slice(0, 1));
    await Promise.all([deliver(arriving.slice(0, 2)), deliver(arriving.slice(2))]);
  }
  await Promise.all([deliver(open.slice(0, open.length / 2)), deliver(open.slice(open.length / 2))]);
  await s.settled();
  return { user, own };
}

function change(id: number, aspect: string, name: string, day: number): void {
  if (aspect === 'delete') s.provider.activities.delete(String(id));
  else {
    const details = run(String(id), { name, start_date: `2026-02-0${1 + day}T08:00:00Z` });
    s.provider.activities.set(String(id), { details, streams: streams(4, { heartrate: (n) => 90 + n }) });
  }
}

t.test('whatever is repeated or late, in the end all is as the provider has it', async (t) => {
  const wrong: string[] = [];
  for (let seed = 1; seed <= lives; seed += 1) {
    const { user, own } = await history(seed);
    const { data } = await s.call('timeseries.workouts', { user_id: user, ...year });
    const want = own.flatMap((id) => {
      const details = s.provider.activities.get(String(id))?.details;
      return details === undefined ? [] : [String(Reflect.get(Object(details), 'name'))];
    });
    const [samples] = await s.database.query<{ n: number }>(
      `select count(*)::int as n from timeseries.sample x join timeseries.series y on y.id = x.series_id
       where y.user_id = $1`,
      [user],
    );
    const have = data.map(({ name }) => name);
    if (have.toSorted().join() !== want.toSorted().join())
      wrong.push(`seed ${seed}: ${have} instead of ${want}`);
    if (samples?.n !== want.length * 4)
      wrong.push(`seed ${seed}: ${samples?.n} samples of ${want.length} activities`);
  }
  t.same(wrong, []);
  t.same(await wrongStatistics(s.database), []);
});
