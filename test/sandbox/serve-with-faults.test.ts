import t from 'tap';
import { connectUsers } from '../../sandbox/connect/connect-users.ts';
import { type FaultKind, faultKinds } from '../../sandbox/server/faults.ts';
import { finishBackfills, snapshots, whole } from './product-with-sandbox.ts';

const minuteMs = 60_000;
const who = [0, 5];
// This provider has no cursor: what it never sends cannot be read later.
const kinds = faultKinds.filter((kind) => kind !== 'dropped');
const types = ['dailies', 'sleeps', 'epochs', 'stressDetails'];

t.test('no fault loses or duplicates data: one at a time, then all together', async (t) => {
  const all = await whole(t, who, { BACKFILL_TYPES: types.join(), BACKFILL_DAYS: '2' });
  const { faults, store } = all.sandbox.world;
  const connected = await connectUsers(all.connecting);
  const trouble = (kind: FaultKind, probability: number) =>
    faults.add({
      kind,
      probability,
      provider: 'devicemaker',
      for_seconds: null,
      delay_ms: 30,
      spread_seconds: 60,
    });
  for (const kind of kinds) trouble(kind, 0.15);
  await finishBackfills(all, connected);
  for (const style of ['push', 'ping'] as const) {
    store.state.application = { ...store.state.application, style };
    for (const kind of kinds) {
      faults.remove(null);
      const fault = trouble(kind, 1);
      await all.sandbox.advance(15 * minuteMs);
      t.ok(fault.hits > 0 || isOfApi(kind, style), `${kind} struck`);
    }
    for (const kind of kinds) trouble(kind, 0.3);
    await all.sandbox.advance(30 * minuteMs);
  }
  faults.remove(null);
  await all.sandbox.advance(60 * minuteMs);
  t.equal(store.state.letters.length, 0);
  t.equal(store.state.counts.given_up, 0);
  for (const { title, want, have } of await snapshots(all, connected)) t.same(have, want, title);
});

// With pushes, no request asks the providers for live data, so no fault applies to such requests.
function isOfApi(kind: FaultKind, style: 'push' | 'ping'): boolean {
  return kind === 'expiry' || (style === 'push' && !['duplicate', 'disorder', 'garbage'].includes(kind));
}
