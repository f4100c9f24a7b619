import type pg from 'pg';
import { databaseOf } from '../../mixins/database/database.ts';
import { foldChanges } from '../../services/users/tables/user-list.ts';
import { seed } from './plan.ts';

const consonants = 'b d f g h k l m n p r s t v z sh ch tr'.split(' ');
const vowels = 'a e i o u an el in or'.split(' ');
const syllables = consonants.flatMap((consonant) => vowels.map((vowel) => consonant + vowel));

// Names of two to four syllables, so that parts of them are as frequent as those of real names.
const name = (salt: number) => `lateral (
  select string_agg(($3::text[])[1 + (hashint8extended(n, $4 + ${salt} + k) & 1048575)::int % ${syllables.length}], '') as text
  from generate_series(1, 2 + (hashint8extended(n, $4 + ${salt}) & 1048575)::int % 3) k
)`;

/** SQL of the id of the user with a number: a hash in the form of a random UUID. `seedParameter` is its placeholder. */
export const crowdId = (number: string, seedParameter = '$1') =>
  `overlay(overlay(md5(${seedParameter}::bigint || ' person ' || ${number}) placing '4' from 13) placing '8' from 17)::uuid`;

const crowd = `
  insert into users.person (id, created_at, first_name, last_name, email, external_user_id)
  select coalesce(($2::uuid[])[n], ${crowdId('n', '$4')}),
    timestamptz '2025-01-01 00:00:00+00' + n * interval '317 seconds', initcap(first.text), initcap(last.text),
    first.text || '.' || last.text || n || '@example.com', 'crm-' || to_char(n, 'FM000000')
  from generate_series(1, $1::int) n cross join ${name(100)} first cross join ${name(200)} last`;

/** Inserts users, those with the given ids first, and folds the list of users once. */
export async function insertUsers(pool: pg.Pool, count: number, ids: readonly string[]): Promise<void> {
  await pool.query(crowd, [count, ids, syllables, seed]);
  await foldChanges(databaseOf(pool));
}
