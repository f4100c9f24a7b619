import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Queryable } from '../../../mixins/database/database.ts';
import { readAudit } from '../../../services/auth/actions/audit.ts';
import { deleteExpired } from '../../../services/auth/tables/expired.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);

t.beforeEach(() =>
  database.query(
    'truncate auth.audit_entry, auth.access, auth.access_total, auth.access_writer, auth.attempt_window',
  ),
);

t.test('audit entries older than AUDIT_RETENTION_DAYS are deleted in parts; 0 keeps all', async (t) => {
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

t.test(
  'counts of reads older than AUDIT_RETENTION_DAYS are deleted, with the totals; 0 keeps all',
  async (t) => {
    const days = 'from (values (0), (29), (31)) v (n)';
    await database.query(`insert into auth.access (user_id, hour, kind, actor, project_id, count)
     select gen_random_uuid(), date_trunc('hour', now()) - n * interval '1 day', 'sleep', 'api_key:1', 'default', 1 ${days}`);
    await database.query(`insert into auth.access_total (project_id, day, actor, kind, count)
     select 'default', current_date - n, 'api_key:1', 'sleep', 1 ${days}`);
    await database.query(`insert into auth.access_writer (process_id, sequence, written_at)
     select gen_random_uuid(), 1, now() - n * interval '1 hour' from (values (1), (25)) v (n)`);
    const left = async () => {
      const [row] = await database.query(`select (select count(*)::int from auth.access) as reads,
      (select count(*)::int from auth.access_total) as totals, (select count(*)::int from auth.access_writer) as writers`);
      return row;
    };
    t.equal(await deleteExpired(database, 0), 1);
    t.same(await left(), { reads: 3, totals: 3, writers: 1 });
    t.equal(await deleteExpired(database, 30), 2);
    t.same(await left(), { reads: 2, totals: 2, writers: 1 });
  },
);

t.test('one cleaning deletes at most 50,000 rows of a table, in statements of 1,000', async (t) => {
  await database.query(
    `insert into auth.attempt_window (subject, started_at, count)
     select gen_random_uuid(), now() - interval '3 hours', 1 from generate_series(1, 50001)`,
  );
  let statements = 0;
  const counting: Queryable = {
    query: (statement, values) => {
      statements += 1;
      return database.query(statement, values);
    },
  };
  const clean = async () => {
    statements = 0;
    return { deleted: await deleteExpired(counting), statements };
  };
  const others = 11;
  t.same(await clean(), { deleted: 50_000, statements: 50 + others });
  t.same(await clean(), { deleted: 1, statements: 1 + others });
});

t.test('entries are those of the user, from the start until before the end', async (t) => {
  const [user_id, other] = [randomUUID(), randomUUID()];
  const at = (n: number) => Date.UTC(2026, 2, n);
  for (const id of [user_id, other])
    for (const n of [1, 2, 3])
      await database.query(
        "insert into auth.audit_entry (action, user_id, at) values ('user.read', $1, $2)",
        [id, new Date(at(n))],
      );
  const instant = (n: number) => ({ ms: at(n), dateOnly: false });
  const range = { start_time: instant(1), end_time: instant(3) };
  const { data, pagination } = await readAudit(
    database,
    'default',
    { user_id, ...range, limit: 10 },
    Date.now(),
  );
  t.same(
    data.map((entry) => [entry.user_id, entry.at]),
    [2, 1].map((n) => [user_id, `2026-03-0${n}T00:00:00Z`]),
  );
  t.equal(pagination.total_count, 2);
});
