import { ServiceBroker } from 'moleculer';
import pg from 'pg';
import t from 'tap';
import type { Database } from '../../../mixins/database/database.ts';
import { readiness } from '../../../services/api-gateway/actions/readiness.ts';

/** A database that counts its queries, and fails them on demand. */
function databaseThat(answers: boolean) {
  let queries = 0;
  const database: Database = {
    query: async () => {
      queries += 1;
      if (!answers) throw new Error('connection refused');
      return [];
    },
    transaction: (work) => work(database),
    pool: new pg.Pool(),
  };
  return { database, queries: () => queries };
}

const away = (broker: ServiceBroker, { database }: { database: Database }, stopping = false) =>
  readiness(broker, database, stopping).catch((error: unknown) => Object(error).message);

t.test('names the database only if it does not answer', async (t) => {
  const broker = new ServiceBroker({ logger: false });
  t.match(await away(broker, databaseThat(true)), /^Unavailable: .*connect/);
  t.notMatch(await away(broker, databaseThat(true)), 'database');
  t.match(await away(broker, databaseThat(false)), /^Unavailable: .*database\.$/);
  t.equal(await away(broker, databaseThat(true), true), 'Stopping.');
});

t.test('concurrent requests query each database once', async (t) => {
  const broker = new ServiceBroker({ logger: false });
  const [one, other] = [databaseThat(true), databaseThat(true)];
  await Promise.all(Array.from({ length: 20 }, () => away(broker, one)));
  t.equal(one.queries(), 1);
  await away(broker, other);
  t.equal(other.queries(), 1);
});
