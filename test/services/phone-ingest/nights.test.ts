import t from 'tap';
import { z } from 'zod';
import { startApi } from '../../support/api.ts';
import { until } from '../../support/until.ts';
import { type App, galaxy, installApp, iphone, phase, watch } from './app.ts';

const api = await startApi(t, {
  ...{ SANDBOX: 'off', CHANGE_JOIN_SECONDS: '0', CHANGE_JOIN_HISTORICAL_SECONDS: '0' },
});
const Sleeps = z.object({
  data: z.array(
    z.looseObject({
      id: z.string(),
      start_time: z.string(),
      end_time: z.string(),
      duration_seconds: z.number().nullable(),
    }),
  ),
});

const nightsOf = async ({ userId }: App) => {
  const path = `/users/${userId}/events/sleep?start_date=2026-02-01&end_date=2026-04-30`;
  return Sleeps.parse(await api.expect(200, path)).data;
};

/** Waits until all phases that arrived are part of nights. */
const settled = (app: App) =>
  until(async () => {
    const open = `select from phone.phase where user_id = $1 and settled_at is null
      union all select from phone.reopened where user_id = $1`;
    return (await api.database.query(open, [app.userId])).length === 0;
  });

const at = (time: string, day = '2026-03-02') => `${day}T${time}:00Z`;
const offset = { zoneOffset: '+01:00' };

t.test('phases with short gaps are one night, and a longer gap begins another', async (t) => {
  const app = await installApp(api);
  await app.sync({
    sleep: [
      phase('in_bed', at('22:00', '2026-03-01'), at('06:00')),
      phase('core', at('22:10', '2026-03-01'), at('23:30', '2026-03-01')),
      phase('deep', at('23:30', '2026-03-01'), at('01:00')),
      phase('awake', at('01:00'), at('01:20')),
      phase('rem', at('01:40'), at('03:00')),
      phase('core', at('03:00'), at('05:50')),
      phase('deep', at('06:31'), at('07:31')),
    ],
  });
  await settled(app);
  const [second, first] = await nightsOf(app);
  t.match(first, {
    ...{ start_time: at('22:00', '2026-03-01'), end_time: at('06:00'), source: { provider: 'phone' } },
    duration_seconds: (80 + 90 + 80 + 170) * 60,
    stages: { awake_minutes: 20, light_minutes: 250, deep_minutes: 90, rem_minutes: 80 },
  });
  t.match(second, { start_time: at('06:31'), end_time: at('07:31'), duration_seconds: 3600 });
});

t.test('late and unordered phases change their night and keep its id', async (t) => {
  const app = await installApp(api);
  const evening = phase('light', at('22:00', '2026-03-01'), at('23:00', '2026-03-01'));
  const middle = phase('deep', at('23:00', '2026-03-01'), at('02:00'));
  const morning = phase('rem', at('02:00'), at('05:00'));
  await app.sync({ sleep: [evening] });
  await settled(app);
  const [begun] = await nightsOf(app);
  await app.sync({ sleep: [morning] });
  await settled(app);
  t.equal((await nightsOf(app)).length, 2, 'three hours apart');
  await app.sync({ sleep: [middle] });
  await settled(app);
  const nights = await nightsOf(app);
  t.match(nights, [
    { start_time: at('22:00', '2026-03-01'), end_time: at('05:00'), duration_seconds: 7 * 3600 },
  ]);
  t.equal(nights.length, 1, 'the phase between them joins both');
  t.ok(begun?.id !== undefined);
  const changes = async () => {
    const types = `select type from changes.change where user_id = $1 and type like 'sleep.%' order by id`;
    return (await api.database.query<{ type: string }>(types, [app.userId])).map(({ type }) => type);
  };
  await until(async () => (await changes()).includes('sleep.updated'));
});

t.test('repeated phases change nothing, and a moved one changes its night', async (t) => {
  const app = await installApp(api);
  const long = phase('deep', at('00:00'), at('04:00'), offset);
  await app.sync({ sleep: [long, phase('rem', at('04:00'), at('06:00'), offset)] });
  await settled(app);
  const before = await nightsOf(app);
  await app.sync({ sleep: [long] });
  await settled(app);
  t.same(await nightsOf(app), before);
  await app.sync({ sleep: [{ ...long, endDate: at('03:40') }] });
  await settled(app);
  t.match(await nightsOf(app), [{ start_time: at('00:00'), duration_seconds: (220 + 120) * 60 }]);
});

t.test('a deleted phase shortens its night', async (t) => {
  const app = await installApp(api);
  const last = phase('rem', at('04:00'), at('06:00'));
  await app.sync({ sleep: [phase('deep', at('00:00'), at('04:00')), last] });
  await settled(app);
  await app.sync({ deleted: [{ id: last.id, type: 'HKCategoryTypeIdentifierSleepAnalysis' }] });
  await settled(app);
  t.match(await nightsOf(app), [{ end_time: at('04:00'), duration_seconds: 4 * 3600 }]);
  t.equal((await nightsOf(app)).length, 1);
});

t.test('of one night told by two devices, the one with stages is listed', async (t) => {
  const app = await installApp(api);
  await app.sync({ sleep: [phase('in_bed', at('21:30', '2026-03-01'), at('06:30'), { source: iphone })] });
  await settled(app);
  t.match(await nightsOf(app), [{ source: { device: 'iPhone' }, duration_seconds: null }]);
  await app.sync({ sleep: [phase('deep', at('22:00', '2026-03-01'), at('06:00'), { source: watch })] });
  await settled(app);
  t.match(await nightsOf(app), [{ source: { device: 'Apple Watch' }, duration_seconds: 8 * 3600 }]);
  t.equal((await nightsOf(app)).length, 1);
});

t.test('a short sleep in the day is a nap', async (t) => {
  const app = await installApp(api);
  const samsung = { ...offset, source: galaxy, values: [{ type: 'sleepScore', value: 82, unit: 'score' }] };
  await app.sync({ sleep: [phase('light', at('13:00'), at('13:40'), samsung)] }, 'samsung');
  await settled(app);
  t.match(await nightsOf(app), [{ is_nap: true, source: { device: 'Galaxy Watch7' } }]);
});

t.test('the night in which clocks change has its real length', async (t) => {
  const app = await installApp(api);
  const zone = (zoneOffset: string) => ({ source: galaxy, zoneOffset });
  await app.sync(
    {
      sleep: [
        phase('deep', at('22:00', '2026-03-28'), at('01:00', '2026-03-29'), zone('+01:00')),
        phase('rem', at('01:00', '2026-03-29'), at('05:00', '2026-03-29'), zone('+02:00')),
      ],
    },
    'google',
  );
  await settled(app);
  t.match(await nightsOf(app), [{ duration_seconds: 7 * 3600 }]);
  const path = `/users/${app.userId}/summaries/sleep?start_date=2026-03-25&end_date=2026-03-31`;
  t.match(await api.expect(200, path), { data: [{ date: '2026-03-29', duration_minutes: 420 }] });
});

t.test('a year of nights that arrives at once becomes as many nights', async (t) => {
  const app = await installApp(api);
  const sleep = Array.from({ length: 120 }, (_, day) => {
    const start = Date.UTC(2026, 0, 1 + day, 22);
    const iso = (hours: number) => new Date(start + hours * 3_600_000).toISOString();
    return [phase('deep', iso(0), iso(3)), phase('rem', iso(3.2), iso(7))];
  }).flat();
  await app.sync({ sleep: sleep.toSorted(() => Math.sin(sleep.length) - 0.5) });
  await settled(app);
  const [row] = await api.database.query<{ n: number }>(
    'select count(*)::int as n from timeseries.sleep_session where user_id = $1',
    [app.userId],
  );
  t.equal(row?.n, 120);
});
