import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrateUp } from '../../migrations/migrate.ts';
import { startReplicatedServers } from '../../test/faults/support/replicated-servers.ts';
import { connections } from '../lines.ts';
import type { Measurement } from '../measurement.ts';
import { targetOf } from '../requests.ts';
import { meanMs } from '../rounds.ts';

const [reloadMs, delaySeconds] = [300, 2];
/** The time in which the changes of the writes are published. */
const publishedMs = 8000;
/** PostgreSQL counts transactions of a connection once a second. */
const countedMs = 4000;

/** Two ways to read one's own writes from a replica: commits wait for its replay, or reads ask for its position. */
export const replica: Measurement = {
  name: 'replica',
  title: 'Own writes on a replica',
  hasOwnData: true,
  isOnDemand: true,
  async *lines({ load, onEnd, say, sizes, start }) {
    yield `A primary and its synchronous standby on this machine. Writes, users that are created. A: synchronous_commit = remote_apply, so that every replica may be read at once. B: on, as the product leaves it. Reads, a page of 20 users over ${connections} connections. A: on the standby, after asking both servers for their positions. B: on the primary, nothing asked.`;
    const { loadMs, throughputRounds: rounds } = sizes;
    const servers = await startReplicatedServers({ comment: say, teardown: onEnd });
    const { databaseUrl, readUrl } = servers;
    await migrateUp(databaseUrl);
    const onStandby = await start({ databaseUrl, settings: { DATABASE_READ_URL: readUrl } });
    const onPrimary = await start({ databaseUrl });
    await servers.untilSynchronous();
    const write = () => onStandby.post('/users', { external_user_id: randomUUID() });
    /** Both ways of a commit, as sides. */
    const ways = (measure: () => Promise<number>) => {
      const side = (value: 'on' | 'remote_apply') => async () => {
        await servers.setSynchronousCommit(value);
        await sleep(reloadMs);
        return measure();
      };
      return [side('remote_apply'), side('on')] as const;
    };
    for (const [what, senders] of [
      ['writes over one connection', 1],
      [`writes over ${connections} connections`, connections],
    ] as const)
      yield { what, sides: ways(() => writesPerSecond(write, senders, loadMs)), unit: '/s', rounds };
    await servers.setSynchronousCommit('on');
    await sleep(publishedMs);
    const { key } = onPrimary;
    const [a, b] = [onStandby, onPrimary].map(({ url }) => targetOf({ url, key }, '/users?limit=20'));
    if (a === undefined || b === undefined) throw new Error('there is no product to read from');
    const before = await servers.standbyTransactions();
    const { requests } = await load.sendLoad(a, { connections, most_ms: countedMs });
    // The questions for positions are far fewer than the reads.
    if ((await servers.standbyTransactions()) - before < requests / 2)
      throw new Error('the reads were not answered by the standby');
    yield { what: 'reads', rates: [a, b] };
    await servers.delayReplay(delaySeconds);
    const what = `a write while the standby replays ${delaySeconds} s late`;
    yield { what, sides: ways(() => meanMs(write)), unit: 'ms', rounds: 3 };
  },
};

async function writesPerSecond(
  write: () => Promise<unknown>,
  senders: number,
  loadMs: number,
): Promise<number> {
  const from = performance.now();
  let count = 0;
  const send = async () => {
    for (; performance.now() < from + loadMs; count++) await write();
  };
  await Promise.all(Array.from({ length: senders }, send));
  return (1000 * count) / (performance.now() - from);
}
