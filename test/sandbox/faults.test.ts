import t from 'tap';
import type { FaultKind } from '../../sandbox/server/faults.ts';
import {
  ask,
  connectDevice,
  control,
  devicemakerOf,
  historyUrl,
  startApplication,
  token,
} from './application.ts';

const minuteMs = 60_000;

t.test('faults are added, listed, removed, and expire', async (t) => {
  const { sandbox } = await startApplication(t);
  const add = (body: unknown) => control(sandbox, 'POST', '/faults', body);
  t.equal((await add({ kind: 'earthquake' })).status, 422);
  t.equal((await add({ kind: 'error', probability: 2 })).status, 422);
  const first = await add({ kind: 'error', for_seconds: 60 });
  t.match(first, { status: 201, body: { id: 1, kind: 'error', probability: 1, hits: 0 } });
  await add({ kind: 'garbage', probability: 0.5 });
  await sandbox.advance(minuteMs);
  t.match((await control(sandbox, 'GET', '/faults')).body, [{ id: 2 }]);
  t.equal((await control(sandbox, 'DELETE', '/faults/7')).status, 404);
  t.same((await control(sandbox, 'DELETE', '/faults')).body, { removed: 1 });
  t.same((await control(sandbox, 'GET', '/faults')).body, []);
});

t.test('a page of another site cannot add faults', async (t) => {
  const { sandbox } = await startApplication(t);
  const body = JSON.stringify({ kind: 'error' });
  const plain = await fetch(`${sandbox.access.url}/faults`, { method: 'POST', body });
  t.equal(plain.status, 415);
  t.same(sandbox.world.faults.list(), []);
});

t.test('error, rate limit, cut answer and early expiry of a token have the documented effect', async (t) => {
  const { sandbox } = await startApplication(t);
  const devicemaker = devicemakerOf(sandbox);
  const { faults } = sandbox.world;
  const { access_token, refresh_token } = await connectDevice(sandbox);
  const wish = { probability: 1, provider: null, for_seconds: null, delay_ms: 1, spread_seconds: 1 };
  const id = () => ask(`${devicemaker.api_url}/user/id`, access_token);
  const during = async <T>(kind: FaultKind, look: () => Promise<T>) => {
    faults.add({ ...wish, kind });
    return look().finally(() => faults.remove(null));
  };
  const failing = await during('error', () => fetch(`${devicemaker.api_url}/user/id`));
  t.ok([500, 502, 503].includes(failing.status));
  t.equal((await during('rate_limit', id)).status, 429);
  t.equal((await during('delay', id)).status, 200);
  await t.rejects(during('lost', () => ask(historyUrl(sandbox, 'dailies'), access_token).then(() => id())));
  t.equal((await ask(historyUrl(sandbox, 'dailies'), access_token)).status, 409, 'it was taken all the same');
  t.equal((await during('expiry', id)).status, 200, 'a token that is just issued is spared');
  for (const account of sandbox.providers.flatMap((one) => one.tokenHolders()))
    for (const grant of account.grants) grant.issued_wall_ms -= minuteMs;
  t.equal((await during('expiry', id)).status, 401);
  t.equal((await id()).status, 401, 'for good');
  const refresh = { grant_type: 'refresh_token', refresh_token };
  const fresh = await during('lost', () => token(devicemaker.token_url, devicemaker, refresh));
  t.equal(fresh.status, 200, 'a refresh is never lost: the connection would be');
});

t.test('all valid notifications arrive despite duplicates, delays and invalid ones', async (t) => {
  const calm = await sentUnder(t);
  t.same(calm.lengths, [54_000, 54_900, 55_800, 56_700, 57_600, 58_500]);
  const doubled = await sentUnder(t, 'duplicate');
  t.same(
    doubled.lengths.toSorted(),
    calm.lengths.flatMap((one) => [one, one]),
  );
  const mixed = await sentUnder(t, 'disorder');
  t.same(mixed.lengths.toSorted(), calm.lengths);
  t.notSame(mixed.lengths, calm.lengths);
  const soiled = await sentUnder(t, 'garbage');
  t.same(soiled.lengths, calm.lengths);
  t.equal(soiled.count, calm.count * 2);
});

/** The durations of the day in the notifications of the next 90 minutes, in order of arrival. */
async function sentUnder(t: Parameters<typeof startApplication>[0], kind?: FaultKind) {
  const { sandbox, receiver } = await startApplication(t);
  await connectDevice(sandbox);
  if (kind !== undefined) await control(sandbox, 'POST', '/faults', { kind, spread_seconds: 7000 });
  await sandbox.advance(210 * minuteMs);
  const lengths = receiver.items('stressDetails').map(({ durationInSeconds = 0 }) => durationInSeconds);
  return { lengths: lengths.filter((one) => one <= 58_500), count: receiver.received.length };
}
