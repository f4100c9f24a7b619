import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Call } from '../../../runtime/environment.ts';
import { reopen } from '../../../services/users/work/erasure.ts';

/** Records the names of calls, of which one fails. */
function recorded(failing?: string) {
  const names: string[] = [];
  const call = async (name: string) => {
    names.push(name);
    if (name === failing) throw new Error('away');
    return {};
  };
  return { names, call: call as unknown as Call };
}

const purged = (provider: 'activitynet' | 'devicemaker') => ({ user_id: randomUUID(), provider, version: 1 });

t.test(
  'a purge refuses data first, then the ingest service of that provider forgets what it fetched',
  async (t) => {
    const { names, call } = recorded();
    await reopen(call, purged('activitynet'));
    t.same(names, ['timeseries.purge', 'activitynet-ingest.forgetUser', 'timeseries.reopen']);
    const other = recorded();
    await reopen(other.call, purged('devicemaker'));
    t.same(other.names, ['timeseries.purge', 'timeseries.reopen']);
  },
);

t.test('nothing is forgotten, and nothing accepted again, before the data is refused', async (t) => {
  const { names, call } = recorded('timeseries.purge');
  await t.rejects(reopen(call, purged('activitynet')), { message: 'away' });
  t.same(names, ['timeseries.purge']);
});
