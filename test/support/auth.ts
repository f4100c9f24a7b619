import type { Test } from 'tap';
import type { Caller, Tokens } from '../../contracts/auth/schemas.ts';
import type { Call } from '../../runtime/environment.ts';
import auth from '../../services/auth/auth.service.ts';
import users from '../../services/users/users.service.ts';
import { insertDeveloper } from './developer.ts';
import { startBroker, type TestBroker } from './servers/broker.ts';
import { freshDatabase, type TestDatabase } from './servers/database.ts';

/** auth and users on a database of their own, with one developer. */
export interface TestAuth extends TestBroker {
  readonly database: TestDatabase;
  readonly account: { readonly email: string; readonly password: string };
}

/** The developer of the tests. */
export const account = { email: 'ada@example.com', password: 'a long password of the tests' };

/** Starts auth and users in one broker. */
export async function startAuth(t: Test, settings: Readonly<Record<string, string>> = {}): Promise<TestAuth> {
  const database = await freshDatabase(t);
  await insertDeveloper(database, account);
  const started = await startBroker(t, { databaseUrl: database.url, services: [auth, users], settings });
  return { ...started, database, account };
}

/** Logs in; returns the caller of the token, as the gateway determines it. */
export async function logIn(
  call: Call,
  { email, password } = account,
): Promise<{ tokens: Tokens; as: { meta: { caller: Caller } } }> {
  const tokens = await call('auth.login', { email, password });
  const { caller } = await call('auth.admit', { token: tokens.access_token });
  if (caller === null) throw new Error('the token of a log-in is not alive');
  return { tokens, as: { meta: { caller } } };
}

/** Which of the calls succeeded, and the types of those that failed. */
export function outcomes<T>(settled: readonly PromiseSettledResult<T>[]): { values: T[]; types: unknown[] } {
  return {
    values: settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    types: settled.flatMap((one) => (one.status === 'rejected' ? [Reflect.get(one.reason, 'type')] : [])),
  };
}
