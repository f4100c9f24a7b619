import t from 'tap';
import { z } from 'zod';
import { person, setUp } from './withings-setting.ts';

const hourMs = 3_600_000;
const Rows = z.array(z.object({ id: z.string(), kind: z.string(), start_ms: z.number() }));
const people = `/people/${person}/withings`;

t.test('what vanished at the provider goes with its samples, and what is beside it stays', async (t) => {
  const on = await setUp(t);
  const userId = await on.connect();
  await on.settled();
  const fromMs = on.sandbox.world.clock.nowMs();
  await on.sandbox.advance(22 * hourMs);
  await on.settled();
  await on.sweep();
  const { want, have } = await on.compare(userId, fromMs);
  t.same(have, want);
  t.ok(want.some((line) => line.startsWith('night')));
  t.ok(want.some((line) => line.startsWith('heart_rate Sleep tracker')));

  const rows = Rows.parse(await on.control('GET', `${people}/rows`));
  for (const kind of ['measures', 'workouts', 'sleep', 'days']) {
    const gone = rows.findLast((row) => row.kind === kind && row.start_ms >= fromMs);
    if (gone !== undefined) await on.control('POST', `${people}/rows`, { id: gone.id, change: 'delete' });
  }
  await on.sweep();
  const after = await on.compare(userId, fromMs);
  t.same(after.have, after.want);
  t.same(
    after.have.filter((line) => line.startsWith('heart_rate Sleep tracker')),
    [],
    'the heart rates of the night went with it',
  );
});
