import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { collector } from '../../../runtime/idle-memory.ts';
import { keyedMutex } from '../../../services/timeseries/actions/store.ts';

t.test('nothing is kept of a user whose stores have ended', async (t) => {
  const mutex = await keyedMutex()({} as never);
  const store = async () => new WeakRef(await mutex('a user', async () => ({ status: 'saved' })));
  const outcome = await store();
  await setImmediate();
  collector()();
  t.equal(outcome.deref(), undefined);
});
