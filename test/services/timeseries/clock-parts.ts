import type { TestDatabase } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';

/** Waits until nothing of a user is to be placed anew. */
export async function partSpan(database: TestDatabase, userId: string): Promise<void> {
  await until(async () => {
    const due = await database.query(
      'select from timeseries.placed_span where user_id = $1 and due_from is not null',
      [userId],
    );
    return due.length === 0;
  });
}
