import type { Database } from '../../../mixins/database/database.ts';

/**
 * Erases the changes and messages of a user, except `user.deleted`. Returns the number of changes. The lock ends after
 * publications that did not see the deletion yet; later ones drop what is recorded of the user.
 */
export async function forgetUser(database: Database, userId: string): Promise<number> {
  await database.transaction(async (transaction) => {
    await transaction.query('select changes.lock_publishing(true)');
    await transaction.query(`delete from changes.pending where user_id = $1 and kind <> 'user'`, [userId]);
  });
  return database.transaction(async (transaction) => {
    // Before the messages: who makes messages of these changes has locked them, and has committed after this.
    const rows = await transaction.query(
      `delete from changes.change where user_id = $1 and type <> 'user.deleted' returning id`,
      [userId],
    );
    await transaction.query(`delete from webhooks.message where user_id = $1 and type <> 'user.deleted'`, [
      userId,
    ]);
    return rows.length;
  });
}
