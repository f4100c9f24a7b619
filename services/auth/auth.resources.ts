import type { Config } from '../../config.ts';
import { database } from '../../mixins/database.ts';
import { jobs } from '../../mixins/jobs.ts';
import { orm } from '../../mixins/orm.ts';
import { reads } from '../../mixins/reads.ts';
import type { Environment, Mixin } from '../../runtime/environment.ts';
import { ApiKey, Application, Developer } from './auth.entities.ts';
import { GroupedCounts } from './grouped-counts.ts';
import { outage } from './outage.ts';
import { createPasswords } from './passwords.ts';
import type { AdmittedRow } from './queries/admit.ts';
import { tokenSignerOf } from './tokens.ts';

/** The resources in the context of every action of auth. */
export const authResources = {
  database: database(),
  reads: reads(),
  outage: outage(),
  jobs: jobs(),
  orm: orm([Developer, ApiKey, Application]),
  tokens: made(({ config }) => tokenSignerOf(config)),
  passwords: made(() => createPasswords()),
  counts: made(() => new GroupedCounts<AdmittedRow>()),
  config: made(({ config }): Config => config),
};

// A resource that needs no closing.
function made<T>(make: (environment: Environment) => T): Mixin<T> {
  return { start: async (environment) => make(environment), stop: async () => undefined };
}
