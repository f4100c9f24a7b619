import t from 'tap';
import { cipherOf } from '../../../mixins/provider-api/cipher.ts';
import { sealedPerBatch } from '../../../services/users/tables/tokens.ts';
import { resealTokens } from '../../../services/users/work/reseal.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const [former, secret] = ['a former secret', 'the secret'];
const old = cipherOf({ ENCRYPTION_KEY: [former] });
const cipher = cipherOf({ ENCRYPTION_KEY: [secret, former] });

t.test('all tokens are re-encrypted, a previous refresh token of a former secret too', async (t) => {
  const rows = await database.query<{ id: string }>(
    `with person as (insert into users.person select from generate_series(1, $1) returning id)
     insert into users.connection (user_id, provider, provider_user_id, status, scope)
     select id, 'devicemaker', id, 'active', '{}' from person returning id`,
    [sealedPerBatch + 1],
  );
  await database.query(
    `update users.connection c set access_token = t.access, refresh_token = t.access, previous_refresh_token = t.previous
     from unnest($1::uuid[], $2::text[], $3::text[]) t (id, access, previous) where c.id = t.id`,
    [
      rows.map(({ id }) => id),
      rows.map(({ id }) => cipher.encrypt('access', id)),
      rows.map(({ id }) => old.encrypt('previous', id)),
    ],
  );
  t.same(await resealTokens({ database, cipher }), { resealed: sealedPerBatch + 1, left: 0 });
  const only = cipherOf({ ENCRYPTION_KEY: [secret] });
  const read = await database.query<{ id: string; previous_refresh_token: string }>(
    'select id, previous_refresh_token from users.connection',
  );
  t.same(
    new Set(read.map((row) => only.decrypt(row.previous_refresh_token, row.id))),
    new Set(['previous']),
    'the former secret is needed no more',
  );
});
