import type { Queryable } from '../../../mixins/database/database.ts';

// Steps that the end skipped are open again. A step that was sent before is sent again; the provider answers it with a
// conflict, which counts as accepted.
const statement = `
with resumed as (
  update backfill.run set state = 'running', reason = null, finished_at = null, run_at = now()
  where connection_id = $1 and state = 'stopped' and reason = 'CONNECTION_GONE' and finished_at >= $2
  returning id),
opened as (
  update backfill.step s set state = 'waiting', reason = null
  from resumed where s.run_id = resumed.id and s.state = 'skipped' and s.reason = 'ENDED')
select id from resumed`;

/** Resumes the backfill that stopped since an instant because its connection had ended; false if there is none. */
export async function resumeRun(database: Queryable, connectionId: string, since: string): Promise<boolean> {
  return (await database.query(statement, [connectionId, since])).length > 0;
}
