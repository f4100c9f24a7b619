import t from 'tap';
import { foldChanges } from '../../../services/users/tables/user-list.ts';
import { freshDatabase } from '../../support/servers/database.ts';

t.test('a change that holds former names of a user is folded at once', async (t) => {
  const database = await freshDatabase(t);
  await database.query("insert into users.person (first_name) values ('Ada')");
  t.equal(await foldChanges(database), false, 'a new user has no former names');
  await database.query("update users.person set first_name = 'Grace'");
  t.equal(await foldChanges(database), true);
  t.same(await database.query('select from users.list_change'), []);
});
