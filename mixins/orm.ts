import { type EntitySchema, MikroORM } from '@mikro-orm/core';
import { PostgreSqlDriver, type SqlEntityManager } from '@mikro-orm/postgresql';
import type { Mixin } from '../runtime/environment.ts';
import { connectionLimits, databaseUrl, ormConnections } from './database.ts';

/** MikroORM of one service: a fresh entity manager a call, so that no call sees another's identity map. */
export interface Orm {
  fork(): SqlEntityManager<PostgreSqlDriver>;
  close(): Promise<void>;
}

/** MikroORM over the given tables, for single rows of accounts, users and connections; never for hot reads. */
export function orm(entities: EntitySchema[]): Mixin<Orm> {
  return {
    async start(environment) {
      const mikro = await MikroORM.init({
        driver: PostgreSqlDriver,
        clientUrl: databaseUrl(environment),
        entities,
        discovery: { warnWhenNoEntities: false },
        pool: { min: 0, max: ormConnections },
        driverOptions: connectionLimits,
      });
      return { fork: () => mikro.em.fork(), close: () => mikro.close(true) };
    },
    stop: (value) => value.close(),
  };
}
