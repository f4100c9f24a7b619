import { randomBytes } from 'node:crypto';
import { type Config, ConfigError } from '../../config.ts';
import type { Database, Queryable } from '../../mixins/database.ts';
import { passwordProblem } from './password-rules.ts';
import { createPasswords } from './passwords.ts';
import { selectPassword } from './queries/select-credentials.ts';

/** An account and its password in clear. */
export interface Login {
  readonly email: string;
  readonly password: string;
}

/** The account to log in with. */
export interface FirstDeveloper {
  readonly email: string;
  /** Set only where it was generated just now. */
  readonly password: string | null;
  /** ADMIN_PASSWORD is set, and is not the password of ADMIN_EMAIL: an account was there before. */
  readonly isSettingIgnored: boolean;
}

const defaultEmail = 'admin@example.com';
const turnLock = 0x61646d69; // any fixed number: it names the right to make the first developer

/**
 * Sees to it that somebody can log in: while there is no account, one is made with ADMIN_EMAIL and ADMIN_PASSWORD, or
 * with a generated password, which `keep` receives before the account is there. Later both settings change nothing: a
 * password that its owner changed stays changed. Two processes that start at once take turns.
 */
export function ensureFirstDeveloper(
  database: Database,
  { ADMIN_EMAIL, ADMIN_PASSWORD }: Pick<Config, 'ADMIN_EMAIL' | 'ADMIN_PASSWORD'>,
  keep: (login: Login) => void = () => undefined,
): Promise<FirstDeveloper> {
  const email = ADMIN_EMAIL ?? defaultEmail;
  return database.transaction(async (transaction) => {
    await transaction.query('select pg_advisory_xact_lock($1)', [turnLock]);
    const first = await firstEmail(transaction);
    if (first !== null) {
      const isSettingIgnored =
        ADMIN_PASSWORD !== undefined && !(await opens(transaction, { email, password: ADMIN_PASSWORD }));
      return { email: first, password: null, isSettingIgnored };
    }
    const password = ADMIN_PASSWORD ?? generatedPassword();
    if (ADMIN_PASSWORD === undefined) keep({ email, password });
    else await refuseWeakSetting(ADMIN_PASSWORD, email);
    await insertAccount(transaction, { email, password });
    return { email, password: ADMIN_PASSWORD === undefined ? password : null, isSettingIgnored: false };
  });
}

async function refuseWeakSetting(password: string, email: string): Promise<void> {
  const problem = await passwordProblem(password, email);
  if (problem !== null) throw new ConfigError([`ADMIN_PASSWORD: ${problem}`]);
}

/** A password that nobody guesses: 120 bits. */
export function generatedPassword(): string {
  return randomBytes(15).toString('base64url');
}

/** Whether a password opens an account to which nobody has logged in yet. */
export async function isUnused(database: Queryable, login: Login): Promise<boolean> {
  const account = await selectPassword(database, login.email);
  if (account === null || !(await opens(database, login))) return false;
  const statement =
    "select from auth.audit_entry where actor = $1 and action = 'developer.logged_in' limit 1";
  return (await database.query(statement, [`admin:${account.id}`])).length === 0;
}

async function opens(database: Queryable, { email, password }: Login): Promise<boolean> {
  const account = await selectPassword(database, email);
  return account !== null && (await createPasswords().matches(password, account.password));
}

async function firstEmail(transaction: Queryable): Promise<string | null> {
  const statement = 'select email from auth.developer order by created_at, id limit 1';
  const [row] = await transaction.query<{ email: string }>(statement);
  return row?.email ?? null;
}

async function insertAccount(transaction: Queryable, { email, password }: Login): Promise<void> {
  const hash = await createPasswords().hash(password);
  await transaction.query('insert into auth.developer (email, password) values ($1, $2)', [email, hash]);
}
