import { type EntitySchema, MikroORM } from '@mikro-orm/core';
import { PostgreSqlDriver, type SqlEntityManager } from '@mikro-orm/postgresql';
import { connectionChoice } from '../../runtime/database/database-client.ts';
import type { Mixin } from '../../runtime/environment.ts';
import { connectionLimits, databaseUrl, ormConnections } from './database.ts';

/** MikroORM of one service. Each call gets a new entity manager, so that calls do not share an identity map. */
export interface Orm {
  fork(): SqlEntityManager<PostgreSqlDriver>;
}

/** MikroORM over the given entities, for single rows of accounts, users and connections. Not for hot reads. */
export function orm(entities: EntitySchema[]): Mixin<Orm> {
  return async (starting) => {
    const { connectionString, ...client } = connectionChoice(databaseUrl(starting));
    const mikro = await MikroORM.init({
      driver: PostgreSqlDriver,
      clientUrl: connectionString,
      entities,
      discovery: { warnWhenNoEntities: false },
      pool: { min: 0, max: ormConnections },
      driverOptions: { ...connectionLimits, ...client },
    });
    starting.onStop(() => mikro.close(true));
    return { fork: () => mikro.em.fork() };
  };
}
