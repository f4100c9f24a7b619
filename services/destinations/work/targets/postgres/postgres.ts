import { z } from 'zod';
import { TargetError } from '../../../../../domain/destinations/target-errors.ts';
import { readChanges } from '../../../tables/changes.ts';
import type { DestinationRow } from '../../../tables/destinations.ts';
import {
  afterPage,
  generationOf,
  planChanges,
  selectUsersPage,
  storeAdvance,
  storeBegun,
} from '../../copy.ts';
import type { ErasureProof, Run, Target } from '../target.ts';
import { hostOf, PostgresSettings, type PostgresTransaction, withTransaction } from './client.ts';
import { makeTables, rowKinds, tableIn, writePlan, writeUsers } from './stage.ts';

/** Tables in another PostgreSQL, whose rows and position change in one transaction. */
export const postgres: Target<PostgresSettings> = {
  settings: PostgresSettings,
  secrets: ['password'],
  place: ['host', 'port', 'database', 'schema'],
  hostsOf: (settings) => [hostOf(settings)],
  idleMs: (_, { idleMs }) => idleMs,
  part,
  erase,
};

type Next = Pick<DestinationRow, 'position' | 'snapshot'>;

async function part(run: Run, settings: PostgresSettings): Promise<boolean> {
  const { destination, database, pace } = run;
  if (generationOf(destination) === null) return begin(run, settings);
  const { position, snapshot, project_id, types } = destination;
  if (snapshot !== null) {
    const page = await selectUsersPage(database, run, snapshot);
    const next = { position, snapshot: afterPage(page) };
    await commit(run, settings, next, (transaction) => writeUsers(run, transaction, settings, page));
    return true;
  }
  const read = await readChanges(database, project_id, types, { after: position, limit: pace.changes });
  // Changes that are not kept any more may concern any row.
  const next = { position: read.position, snapshot: read.isExpired ? {} : null };
  const plan = planChanges(read.changes);
  if (plan.spans.length + plan.keys.length > 0)
    await commit(run, settings, next, (transaction) => writePlan(run, transaction, settings, plan));
  else if (read.isExpired || read.position !== position) await storeAdvance(run, { ...next, rows: 0 });
  return read.hasMore || read.isExpired;
}

// Makes the tables. Whoever wrote into the schema before does not any more.
async function begin(run: Run, settings: PostgresSettings): Promise<boolean> {
  const { id, version, position } = run.destination;
  await withTransaction(run, settings, async (transaction) => {
    await makeTables(transaction, settings);
    const table = tableIn(settings, 'destination_position');
    await transaction.query(`delete from ${table}`);
    await transaction.query(
      `insert into ${table} (destination_id, version, position, committed_at) values ($1, $2, $3, now())`,
      [id, version, position],
    );
  });
  await storeBegun(run);
  return true;
}

/**
 * Commits rows with the position, then stores the position here. A process that ends in between has committed, which the position at
 * the destination shows: the rows are not written again. Returns whether they were written now.
 */
async function commit(
  run: Run,
  settings: PostgresSettings,
  next: Next,
  write: (transaction: PostgresTransaction) => Promise<number>,
): Promise<boolean> {
  const { isWritten, ...committed } = await withTransaction(run, settings, async (transaction) => {
    const found = await lockPosition(run, transaction, settings);
    if (found !== null) return { ...found, rows: 0, isWritten: false };
    const rows = await write(transaction);
    await movePosition(run, transaction, settings, next);
    if (!(await run.held.holds())) throw new TargetError('stopped');
    return { ...next, rows, isWritten: true };
  });
  await storeAdvance(run, committed);
  return isWritten;
}

// What is stored here must not be larger than what was stored there.
const Id = z.string().regex(/^\d{1,18}$/);
const PositionRow = z.object({
  version: Id,
  position: Id,
  snapshot: z.strictObject({ after: z.uuid().nullable().optional() }).nullable(),
});
const Count = z.object({ n: z.int() });

/** What the destination has beyond the position that is stored here; null if nothing. No other process writes until the transaction ends. */
async function lockPosition(
  run: Run,
  transaction: PostgresTransaction,
  settings: PostgresSettings,
): Promise<Next | null> {
  const { destination } = run;
  const [found] = await transaction.query(
    `select version::text, position::text, snapshot from ${tableIn(settings, 'destination_position')}
     where destination_id = $1 for update`,
    [destination.id],
  );
  const { data: row } = PositionRow.safeParse(found);
  if (row === undefined) throw new TargetError('schema_changed');
  const ahead = BigInt(row.version) - BigInt(destination.version);
  if (ahead <= 0n) return null;
  if (ahead === 1n) return { position: row.position, snapshot: row.snapshot };
  // No process is that far ahead: our database is an older one, which was restored. Everything is compared.
  const anew = { position: destination.position, snapshot: {} };
  await movePosition(run, transaction, settings, anew);
  return anew;
}

async function movePosition(
  { destination }: Run,
  transaction: PostgresTransaction,
  settings: PostgresSettings,
  { position, snapshot }: Next,
): Promise<void> {
  await transaction.query(
    `update ${tableIn(settings, 'destination_position')}
     set version = $2::bigint + 1, position = $3, snapshot = $4, committed_at = now() where destination_id = $1`,
    [destination.id, destination.version, position, snapshot === null ? null : JSON.stringify(snapshot)],
  );
}

/** Deletes users from all tables, and counts what is left of them. */
async function erase(
  run: Run,
  settings: PostgresSettings,
  userIds: readonly string[],
): Promise<ErasureProof> {
  const { destination } = run;
  if (generationOf(destination) === null) {
    await begin(run, settings);
    throw new TargetError('stopped');
  }
  let [deleted, left] = [0, 0];
  const { position, snapshot } = destination;
  const isWritten = await commit(run, settings, { position, snapshot }, async (transaction) => {
    const count = async (text: string, values: readonly unknown[]) => {
      const { data } = Count.safeParse((await transaction.query(text, values))[0]);
      if (data === undefined) throw new TargetError('answer_invalid');
      return data.n;
    };
    for (const kind of rowKinds) {
      const table = tableIn(settings, kind);
      deleted += await count(
        `with gone as (delete from ${table} where user_id = any($1::uuid[]) returning 1) select count(*)::int as n from gone`,
        [userIds],
      );
      left += await count(`select count(*)::int as n from ${table} where user_id = any($1::uuid[])`, [
        userIds,
      ]);
    }
    if (left > 0) throw new TargetError('failed');
    return 0;
  });
  if (!isWritten) throw new TargetError('stopped');
  return { rows_deleted: deleted, rows_left: left };
}
