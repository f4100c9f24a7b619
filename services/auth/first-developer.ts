import { randomBytes } from 'node:crypto';
import { type Config, ConfigError } from '../../config.ts';
import type { Database, Queryable } from '../../mixins/database.ts';
import { passwordProblem } from './password-rules.ts';
import { createPasswords, type Passwords } from './passwords.ts';
import { endOtherSessions } from './queries/end-families.ts';
import { selectPassword } from './queries/select-credentials.ts';

/** The account to log in with; `password` only where it was generated just now: it is shown once. */
export interface FirstDeveloper {
  readonly email: string;
  readonly password: string | null;
}

const defaultEmail = 'admin@example.com';
const turnLock = 0x61646d69; // any fixed number: it names the right to make the first developer

/**
 * Sees to it that somebody can log in. With ADMIN_PASSWORD set, that account (ADMIN_EMAIL) is there with that
 * password; else, while there is no account at all, one is made with a generated password. Two processes that
 * start at once take turns, so one of them generates and the other finds it done.
 * @throws ConfigError where ADMIN_PASSWORD would be set and is easy to guess
 */
export function ensureFirstDeveloper(
  database: Database,
  { ADMIN_EMAIL, ADMIN_PASSWORD }: Pick<Config, 'ADMIN_EMAIL' | 'ADMIN_PASSWORD'>,
): Promise<FirstDeveloper> {
  const email = ADMIN_EMAIL ?? defaultEmail;
  const passwords = createPasswords();
  return database.transaction(async (transaction) => {
    await transaction.query('select pg_advisory_xact_lock($1)', [turnLock]);
    if (ADMIN_PASSWORD !== undefined) return setAccount(transaction, passwords, email, ADMIN_PASSWORD);
    const first = await firstEmail(transaction);
    if (first !== null) return { email: first, password: null };
    const password = randomBytes(15).toString('base64url');
    await insertAccount(transaction, email, await passwords.hash(password));
    return { email, password };
  });
}

async function setAccount(
  transaction: Queryable,
  passwords: Passwords,
  email: string,
  password: string,
): Promise<FirstDeveloper> {
  const account = await selectPassword(transaction, email);
  if (account !== null && (await passwords.matches(password, account.password)))
    return { email, password: null };
  await refuseWeakSetting(password, email);
  if (account === null) await insertAccount(transaction, email, await passwords.hash(password));
  else {
    const statement = 'update auth.developer set password = $2 where id = $1';
    await transaction.query(statement, [account.id, await passwords.hash(password)]);
    await endOtherSessions(transaction, account.id, null);
  }
  return { email, password: null };
}

async function refuseWeakSetting(password: string, email: string): Promise<void> {
  const problem = await passwordProblem(password, email);
  if (problem !== null) throw new ConfigError([`ADMIN_PASSWORD: ${problem}`]);
}

async function firstEmail(transaction: Queryable): Promise<string | null> {
  const statement = 'select email from auth.developer order by created_at, id limit 1';
  const [row] = await transaction.query<{ email: string }>(statement);
  return row?.email ?? null;
}

async function insertAccount(transaction: Queryable, email: string, hash: string): Promise<void> {
  await transaction.query('insert into auth.developer (email, password) values ($1, $2)', [email, hash]);
}
