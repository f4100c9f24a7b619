import t from 'tap';
import { dayMs, hourMs } from '../../../domain/time/time.ts';
import type { ProviderName } from '../../../providers/all.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { randomFrom } from './random.ts';
import { Simulation } from './simulation.ts';

const providers = [
  'oura',
  'whoop',
  'polar',
  'suunto',
  'withings',
  'googlehealth',
  'devicemaker',
  'phone',
] as const;
const perProvider = 22;

t.test('three days of faults, and a day after them', async (t) => {
  const database = await freshDatabase(t);
  const world = new Simulation(database, randomFrom(11));
  await world.connect(providers.length * perProvider, providers);
  await world.pass(6 * dayMs);
  const before = { ...world.counts };
  const beganMs = world.nowMs;
  const isDuring = (fromHours: number, hours: number) =>
    world.nowMs >= beganMs + fromHours * hourMs && world.nowMs < beganMs + (fromHours + hours) * hourMs;
  const down: ProviderName = 'withings';
  const silent: ProviderName = 'googlehealth';
  world.faults = {
    ...{ dropped: 0.05, doubled: 0.02 },
    isDown: (provider) => provider === down && isDuring(30, 6),
    isSilent: (provider) => provider === silent && isDuring(10, 62),
  };
  for (const [index, person] of world.people.entries()) if (index % 10 === 3) world.revoke(person);
  await world.pass(3 * dayMs);
  world.faults = { dropped: 0, doubled: 0, isDown: () => false, isSilent: () => false };
  await world.pass(dayMs);
  t.same(world.lost, { missing: 0, doubled: 0 });
  const { counts } = world;
  t.ok(counts.repairs > before.repairs && counts.repairedAfter.length > 0);
  t.ok((counts.reads - before.reads) / (counts.faultless - before.faultless) <= 1.3, 'requests');
  t.ok(counts.probes <= 1, 'while a provider is down, one repair at a time');
  t.same(counts.published, [
    { action: 'started', provider: down, reason: 'failing' },
    { action: 'ended', provider: down, reason: 'failing' },
  ]);
  const revoked = world.people.filter(({ isRevoked }) => isRevoked).map(({ connection_id }) => connection_id);
  const stale = await database.query<{ connection_id: string }>(
    'select connection_id from freshness.connection where stale_since is not null',
  );
  t.same(stale.map(({ connection_id }) => connection_id).toSorted(), revoked.toSorted());
  const events = await database.query(
    "select action, count(*)::int as n from changes.pending where kind <> 'user' group by action",
  );
  t.same(events, [{ action: 'stale', n: revoked.length }]);
  const outcomes = await database.query(
    "select distinct details ->> 'outcome' as outcome from auth.audit_entry where action = 'connection.repair_ended'",
  );
  t.ok(outcomes.some(({ outcome }) => outcome === 'data_arrived'));
  const after = counts.repairedAfter.toSorted((a, b) => a - b);
  const [median, longest] = [after[Math.floor(after.length / 2)] ?? 0, after.at(-1) ?? 0];
  t.comment(`stored by repairs after ${median.toFixed(1)} h in the median, ${longest.toFixed(1)} h at most`);
  t.comment(`${counts.reads - before.reads} requests, ${counts.faultless - before.faultless} without faults`);
});
