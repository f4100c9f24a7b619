import { randomUUID } from 'node:crypto';
import t from 'tap';
import { cipherOf } from '../../../mixins/provider-api/cipher.ts';
import { resealClients } from '../../../services/users/work/reseal.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const [former, next] = ['f'.repeat(32), 'n'.repeat(32)];
const before = cipherOf({ ENCRYPTION_KEY: [former] });

/** Credentials of a project, with a secret that a cipher encrypted. */
async function insert(project: string, cipher = before, id: string = randomUUID()): Promise<string> {
  await database.query(
    `insert into users.provider_client (id, project_id, provider, client_id, client_secret)
     values ($1, $2, 'withings', 'client', $3)`,
    [id, project, cipher.encrypt(`secret of ${project}`, id)],
  );
  return id;
}
const secretOf = async (id: string) => {
  const [row] = await database.query<{ client_secret: string }>(
    'select client_secret from users.provider_client where id = $1',
    [id],
  );
  return row?.client_secret ?? '';
};

t.test('secrets of a former key are encrypted again, unless no configured key decrypts them', async (t) => {
  const [readable, unreadable] = [
    await insert('one'),
    await insert('two', cipherOf({ ENCRYPTION_KEY: ['x'.repeat(32)] })),
  ];
  const kept = await secretOf(unreadable);
  const cipher = cipherOf({ ENCRYPTION_KEY: [next, former] });
  t.same(await resealClients({ database, cipher }), { resealed: 1, left: 1 });
  t.same(await resealClients({ database, cipher }), { resealed: 0, left: 1 });
  const alone = cipherOf({ ENCRYPTION_KEY: [next] });
  t.equal(alone.decrypt(await secretOf(readable), readable), 'secret of one');
  t.equal(await secretOf(unreadable), kept);
});

t.test('a secret that does not decrypt does not stop those after it', async (t) => {
  const moved = await insert('three', before, '00000000-0000-4000-8000-000000000001');
  const later = await insert('four', before, 'ffffffff-ffff-4fff-8fff-ffffffffffff');
  await database.query('update users.provider_client set client_secret = $2 where id = $1', [
    moved,
    before.encrypt('secret of another row', later),
  ]);
  const kept = await secretOf(moved);
  const cipher = cipherOf({ ENCRYPTION_KEY: [next, former] });
  t.same(await resealClients({ database, cipher }), { resealed: 1, left: 2 });
  t.equal(cipherOf({ ENCRYPTION_KEY: [next] }).decrypt(await secretOf(later), later), 'secret of four');
  t.equal(await secretOf(moved), kept);
});
