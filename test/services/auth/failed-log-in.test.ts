import { randomUUID } from 'node:crypto';
import t from 'tap';
import { auditFailedLogIn } from '../../../services/auth/work/attempts.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const origin = { actor: null, requestId: 'first' };

t.test('failed log-ins are one audit entry per account, address range and hour', async (t) => {
  const database = await freshDatabase(t);
  const developerId = randomUUID();
  const fail = (id: string | null, address: string) =>
    auditFailedLogIn(database, origin, { developerId: id, address });
  const entries = () =>
    database.query(
      `select subject_id, details - 'last_at' as details from auth.audit_entry
       where action = 'developer.log_in_failed' order by id`,
    );
  for (let n = 1; n <= 20; n += 1) await fail(developerId, `192.0.2.${n}`);
  await Promise.all(Array.from({ length: 20 }, () => fail(null, '192.0.2.1')));
  await fail(developerId, '2001:db8:1:1');
  await fail(developerId, '2001:db8:1:2');
  const expected = [
    [developerId, '192.0.2.20', '192.0.2.0/24', 20],
    [null, '192.0.2.1', '192.0.2.0/24', 20],
    [developerId, '2001:db8:1:2', '2001:db8:1::/48', 2],
  ].map(([subject_id, address, address_range, failures]) => ({
    subject_id,
    details: { address, address_range, failures },
  }));
  t.same(await entries(), expected);
  await database.query('update auth.audit_entry set rollup = gen_random_uuid()'); // as the entries of an hour ago
  await fail(developerId, '192.0.2.1');
  const details = { address: '192.0.2.1', address_range: '192.0.2.0/24', failures: 1 };
  t.same(await entries(), [...expected, { subject_id: developerId, details }]);
});

t.test('log-ins that fail from ever more ranges are one entry of their account after 200', async (t) => {
  const database = await freshDatabase(t);
  const developerId = randomUUID();
  const fail = (n: number) => auditFailedLogIn(database, origin, { developerId, address: `10.0.${n}.1` });
  for (let n = 0; n < 205; n += 1) await fail(n);
  await fail(7);
  const rows = await database.query<{ range: string | null; failures: string }>(
    `select details ->> 'address_range' as range, details ->> 'failures' as failures from auth.audit_entry
     where action = 'developer.log_in_failed' and (details ->> 'failures')::int > 1 order by id`,
  );
  t.same(rows, [
    { range: '10.0.7.0/24', failures: '2' },
    { range: null, failures: '5' },
  ]);
  const [all] = await database.query('select count(*)::int as n from auth.audit_entry');
  t.same(all, { n: 201 });
});
