import type { Config } from '../../config.ts';
import { database } from '../../mixins/database.ts';
import { orm } from '../../mixins/orm.ts';
import type { Environment, Mixin } from '../../runtime/environment.ts';
import { ApiKey, Application, Developer } from './auth.entities.ts';
import { createPasswords } from './passwords.ts';
import { tokenSignerOf } from './tokens.ts';

/** What every action of auth finds in its context. */
export const authResources = {
  database: database(),
  orm: orm([Developer, ApiKey, Application]),
  tokens: made(({ config }) => tokenSignerOf(config)),
  passwords: made(() => createPasswords()),
  config: made(({ config }): Config => config),
};

// A resource that there is nothing to close of.
function made<T>(make: (environment: Environment) => T): Mixin<T> {
  return { start: async (environment) => make(environment), stop: async () => undefined };
}
