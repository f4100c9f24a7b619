import { randomUUID } from 'node:crypto';
import t from 'tap';
import { insertAttempt, useAttempt } from '../../../services/connect/tables/attempts.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);

async function attempt(provider: 'devicemaker' | 'activitynet' = 'devicemaker') {
  const made = {
    stateHash: randomUUID(),
    userId: randomUUID(),
    provider,
    redirectUri: null,
    sessionId: null,
    providerClientId: null,
    region: 'eu',
    callbackUri: 'https://pulse.example/callback',
    verifier: 'sealed',
  };
  await insertAttempt(database, made);
  return made;
}

t.test('a state is valid once, for its provider, and does not affect others', async (t) => {
  const [one, other] = [await attempt(), await attempt()];
  t.equal(await useAttempt(database, one.stateHash, 'activitynet'), null);
  t.equal(await useAttempt(database, 'unknown', 'devicemaker'), null);
  t.match(await useAttempt(database, one.stateHash, 'devicemaker'), { ...one, state: 'fresh' });
  t.match(await useAttempt(database, one.stateHash, 'devicemaker'), { verifier: null, state: 'used' });
  t.match(await useAttempt(database, other.stateHash, 'devicemaker'), { ...other, state: 'fresh' });
});

t.test('an expired state is refused and deleted', async (t) => {
  const { stateHash } = await attempt('activitynet');
  await database.query('update connect.attempt set expires_at = now() where state_hash = $1', [stateHash]);
  t.match(await useAttempt(database, stateHash, 'activitynet'), { state: 'expired' });
  t.match(await useAttempt(database, stateHash, 'activitynet'), { state: 'used' });
});
