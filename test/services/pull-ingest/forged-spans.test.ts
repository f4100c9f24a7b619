import t from 'tap';
import { z } from 'zod';
import { setUp } from './withings-setting.ts';

const dayMs = 86_400_000;
const on = await setUp(t);
const userId = await on.connect();
await on.settled();
const [linked] = await on.api.call('users.connections', { user_id: userId });

const Demanded = z.array(z.object({ type: z.string(), from_ms: z.number(), to_ms: z.number() }));

t.test('unauthenticated notifications of fifty years demand a read of four days at most', async (t) => {
  const years = Array.from({ length: 70 }, (_, n) => Date.UTC(1990, 0, 1) + n * 250 * dayMs);
  for (const [n, startMs] of [...years, Date.now() - dayMs].entries()) {
    const span = {
      startdate: String(Math.floor(startMs / 1000)),
      enddate: String(Math.floor(startMs / 1000) + 200_000),
    };
    const form = { userid: linked?.provider_user_id ?? '', appli: '16', ...span };
    const answer = await fetch(on.address, { method: 'POST', body: new URLSearchParams(form) });
    t.equal(answer.status, 200, `${n} is accepted`);
  }
  const demanded = Demanded.parse(
    await on.api.database.query(
      `select type, (extract(epoch from lower(s)) * 1000)::float8 as from_ms,
         (extract(epoch from upper(s)) * 1000)::float8 as to_ms
       from (select type, range_merge(spans + taken) as s from pull.reading where spans + taken <> '{}') r`,
    ),
  );
  t.same(
    demanded.map(({ type }) => type),
    ['intraday'],
  );
  for (const { from_ms, to_ms } of demanded) {
    t.ok(from_ms > Date.now() - 3 * dayMs - 600_000, new Date(from_ms).toISOString());
    t.ok(to_ms <= Date.now() + dayMs, new Date(to_ms).toISOString());
  }
});
