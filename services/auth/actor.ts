import type { PostgreSqlDriver, SqlEntityManager } from '@mikro-orm/postgresql';
import type { Database, Queryable } from '../../mixins/database.ts';
import type { Meta } from '../../mixins/environment.ts';
import type { Orm } from '../../mixins/orm.ts';

type Manager = SqlEntityManager<PostgreSqlDriver>;

/** Who acts, as the audit trail names them: `admin:{developer_id}`; empty at the REPL and at the start. */
export function actorOf({ caller }: Meta): string {
  return caller?.kind === 'developer' && caller.developer_id !== null ? `admin:${caller.developer_id}` : '';
}

/** Runs changes in a transaction whose audit entries name the actor. */
export function actingWith<T>(orm: Orm, actor: string, work: (em: Manager) => Promise<T>): Promise<T> {
  return orm.fork().transactional(async (em) => {
    await em.execute("select set_config('auth.actor', ?, true)", [actor]);
    return work(em);
  });
}

/** The same over plain statements; `rotates` makes a deletion and an insertion one entry. */
export function acting<T>(
  database: Database,
  actor: string,
  work: (on: Queryable) => Promise<T>,
  rotates = false,
): Promise<T> {
  return database.transaction(async (transaction) => {
    const settings = "select set_config('auth.actor', $1, true), set_config('auth.rotates', $2, true)";
    await transaction.query(settings, [actor, rotates ? 'on' : '']);
    return work(transaction);
  });
}
