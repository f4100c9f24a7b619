import { scryptSync } from 'node:crypto';
import type { Queryable } from '../../mixins/database/database.ts';

/**
 * Creates an account to log in with, unless it exists. A stored hash names its own costs: this one takes no time, a hash
 * of the product takes 0.12 s at each log-in. Tests of passwords create accounts as the product does.
 */
export async function insertDeveloper(
  database: Queryable,
  { email, password }: { readonly email: string; readonly password: string },
  { isOwner }: { readonly isOwner: boolean } = { isOwner: true },
): Promise<void> {
  const salt = Buffer.from('a salt of the tests');
  const hash = scryptSync(password.normalize('NFKC'), salt, 32, { N: 16, r: 8, p: 1 });
  const stored = ['scrypt', 4, 8, 1, salt.toString('base64url'), hash.toString('base64url')].join('$');
  const statement =
    'insert into auth.developer (email, password, is_owner, confirmed_at) values ($1, $2, $3, now()) on conflict do nothing';
  await database.query(statement, [email, stored, isOwner]);
}
