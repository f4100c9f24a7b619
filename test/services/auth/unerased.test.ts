import { randomUUID } from 'node:crypto';
import t from 'tap';
import { countUnerased } from '../../../services/auth/tables/projects.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const since = new Date('2026-01-02T00:00:00Z');

async function insert(project: string, action: string, user: string | null, at = since): Promise<void> {
  await database.query(
    'insert into auth.audit_entry (project_id, action, user_id, at) values ($1, $2, $3, $4)',
    [project, action, user, at],
  );
}

t.test('counts deleted users of a project whose erasure its trail lacks', async (t) => {
  const [erased, unerased, earlier] = [randomUUID(), randomUUID(), randomUUID()];
  await insert('one', 'user.deleted', unerased);
  t.equal(await countUnerased(database, 'one', since), 1, 'none is erased');
  await insert('one', 'user.deleted', erased);
  await insert('one', 'user.erased', erased);
  await insert('one', 'user.erased', null);
  await insert('one', 'user.deleted', earlier, new Date(since.getTime() - 1));
  await insert('two', 'user.deleted', randomUUID());
  await insert('two', 'user.erased', unerased);
  t.equal(await countUnerased(database, 'one', since), 1);
});
