import type { PostgreSqlDriver, SqlEntityManager } from '@mikro-orm/postgresql';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { Orm } from '../../../mixins/database/orm.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';

type Manager = SqlEntityManager<PostgreSqlDriver>;

// The triggers of this service's tables read these settings of the transaction.
const settings = (parameters: readonly string[]) =>
  `select set_config('auth.actor', ${parameters[0]}, true), set_config('auth.request_id', ${parameters[1]}, true)`;
const valuesOf = ({ actor, requestId }: AuditOrigin) => [actor ?? '', requestId ?? ''];

/** Runs changes in a transaction whose audit entries have this origin. */
export function actingWith<T>(orm: Orm, origin: AuditOrigin, work: (em: Manager) => Promise<T>): Promise<T> {
  return orm.fork().transactional(async (em) => {
    await em.execute(settings(['?', '?']), valuesOf(origin));
    return work(em);
  });
}

/** As `actingWith`, with plain statements. */
export function acting<T>(
  database: Database,
  origin: AuditOrigin,
  work: (on: Queryable) => Promise<T>,
): Promise<T> {
  return database.transaction(async (transaction) => {
    await transaction.query(settings(['$1', '$2']), valuesOf(origin));
    return work(transaction);
  });
}

/** As `acting`, for a rotation: the deleted and the inserted row make one audit entry. */
export function rotating<T>(
  database: Database,
  origin: AuditOrigin,
  work: (on: Queryable) => Promise<T>,
): Promise<T> {
  return acting(database, origin, async (on) => {
    await on.query("select set_config('auth.rotates', 'on', true)");
    return work(on);
  });
}
