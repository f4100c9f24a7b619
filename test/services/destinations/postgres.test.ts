import t from 'tap';
import { freshDatabase } from '../../support/servers/database.ts';
import { checkCopy } from './scenario.ts';
import { startDestinations } from './setting.ts';
import { rowsInTables, settingsOf, tracesInTables } from './table-rows.ts';

const target = await freshDatabase(t);
const { host, settings } = settingsOf(target.url);
const s = await startDestinations(t, { DESTINATION_HOSTS: host }, { pace: { rowsPerCommit: 100 } });

t.test('PostgreSQL has the rows of the database', async (t) => {
  await checkCopy(t, s, {
    ...{ kind: 'postgres', settings, proof: 'rows_deleted' },
    rows: () => rowsInTables(target, 'copy'),
    traces: (user) => tracesInTables(target, 'copy', user),
  });
});
