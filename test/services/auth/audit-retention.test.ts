import t from 'tap';
import { deleteExpired } from '../../../services/auth/queries/delete-expired.ts';
import { freshDatabase } from '../../support/database.ts';

t.test('audit entries older than the days of the setting go, in parts; 0 keeps all', async (t) => {
  const database = await freshDatabase(t);
  const days = async () => {
    const rows = await database.query<{ days: number }>(
      'select distinct (extract(epoch from now() - at) / 86400)::int as days from auth.audit_entry order by 1',
    );
    return rows.map((row) => row.days);
  };
  await database.query(
    `insert into auth.audit_entry (action, at)
     select 'user.read', now() - n * interval '1 day' from (values (0), (29), (31)) v (n), generate_series(1, 1200)`,
  );
  t.equal(await deleteExpired(database, 0), 0);
  t.same(await days(), [0, 29, 31]);
  t.equal(await deleteExpired(database, 30), 1200);
  t.same(await days(), [0, 29]);
});
