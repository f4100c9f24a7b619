import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import { priorities } from './note-event.ts';

const revive: Statement = {
  name: 'activitynet.revive',
  text: `
    update activitynet.activity a set priority = ${priorities.live}
    from (
      select user_id, object_id, row_number() over (partition by user_id order by turn, object_id) as place
      from activitynet.activity
      where work is not null and priority = ${priorities.postponed} and run_at <= activitynet.clock($1)
    ) due
    where a.user_id = due.user_id and a.object_id = due.object_id and a.priority = ${priorities.postponed}
      and due.place <= $2`,
};

/** Maximum number of postponed jobs per user that become due at once. */
const mostRevived = 40;

/** Makes jobs due again that were postponed because their user had no reads left, the oldest of each user first. */
export async function revivePostponed(database: Queryable, aheadMs: number): Promise<void> {
  await database.query(revive, [aheadMs, mostRevived]);
}
