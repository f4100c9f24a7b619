import {
  columnList,
  type RecordKind,
  type RowKind,
  recordKinds,
} from '../../../../domain/destinations/columns.ts';
import { databaseUrl } from '../../../../mixins/database/database.ts';
import type { UsersPage } from '../../copy/copy-progress.ts';
import {
  keyColumn,
  type Plan,
  type ReplacedKey,
  type ReplacedSpan,
  shownSource,
} from '../../copy/plan-changes.ts';
import { readKeys, readRecordsOf, readSamplesOf, readSpans, withoutDeleted } from '../../copy/read-plan.ts';
import { type Snapshot, withSnapshot } from '../../read/snapshot.ts';
import type { Run } from '../target.ts';
import { type RowWriter, writeRows } from './copy-rows.ts';
import type { PostgresTransaction } from './postgres-client.ts';
import type { PostgresSettings } from './postgres-settings.ts';
import { definitionsOf, namesOf, primaryKey, rowKinds, tableIn } from './tables.ts';

/*
 * Rows go into a temporary table first. The tables of the destination change in one statement each, and rows are converted to the types
 * that their columns have there.
 */

const staged = (kind: RowKind) => `pg_temp."staged_${kind}"`;
const instant = (us: string) => `timestamptz '1970-01-01 00:00:00+00' + ${us} * interval '1 microsecond'`;

/** Replaces what a plan names. Returns the number of rows. */
export function writePlan(
  run: Run,
  transaction: PostgresTransaction,
  settings: PostgresSettings,
  plan: Plan,
): Promise<number> {
  return reading(run, async (snapshot) => {
    const { spans, keys } = await withoutDeleted(snapshot, run, plan);
    let rows = 0;
    if (spans.length > 0) {
      rows += await stage(transaction, 'sample', ({ samples }) => readSpans(run, snapshot, spans, samples));
      await deleteSpans(run, transaction, settings, spans);
      await insertStaged(transaction, settings, 'sample');
    }
    for (const kind of recordKinds) {
      const own = keys.filter((one) => one.kind === kind);
      if (own.length === 0) continue;
      rows += await stage(transaction, kind, ({ records }) => readKeys(run, snapshot, kind, own, records));
      await deleteKeys(transaction, settings, kind, own);
      await insertStaged(transaction, settings, kind);
    }
    return rows;
  });
}

/** Replaces all rows of the users of a page, and of users between them that are not there any more. Returns the number of rows. */
export function writeUsers(
  run: Run,
  transaction: PostgresTransaction,
  settings: PostgresSettings,
  { after, users, last }: UsersPage,
): Promise<number> {
  return reading(run, async (snapshot) => {
    let rows = 0;
    for (const kind of rowKinds) {
      await transaction.query(
        `delete from ${tableIn(settings, kind)} where ($1::uuid is null or user_id > $1) and ($2::uuid is null or user_id <= $2)`,
        [after, last],
      );
      rows += await stage(transaction, kind, (writer) =>
        kind === 'sample'
          ? readSamplesOf(run, snapshot, users, writer.samples)
          : readRecordsOf(run, snapshot, kind, users, writer.records),
      );
      await insertStaged(transaction, settings, kind);
    }
    return rows;
  });
}

function reading<T>({ config, held }: Run, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  return withSnapshot(databaseUrl({ config }), held.signal, work);
}

async function stage(
  transaction: PostgresTransaction,
  kind: RowKind,
  send: (writer: RowWriter) => Promise<void>,
): Promise<number> {
  await transaction.query(`create temporary table "staged_${kind}" (${definitionsOf(kind)}) on commit drop`);
  let rows = 0;
  await transaction.copy(`copy ${staged(kind)} from stdin (format binary)`, async (write) => {
    rows = await writeRows(write, send);
  });
  return rows;
}

async function insertStaged(
  transaction: PostgresTransaction,
  settings: PostgresSettings,
  kind: RowKind,
): Promise<void> {
  const names = namesOf(kind);
  const columns = columnList(kind).map(({ name }) => name);
  const updated = columns.map((name) => `"${name}" = excluded."${name}"`).join(', ');
  const upsert = kind === 'sample' ? '' : `on conflict ("${primaryKey(kind)}") do update set ${updated}`;
  await transaction.query(
    `insert into ${tableIn(settings, kind)} (${names}) select ${names} from ${staged(kind)} ${upsert}`,
  );
}

async function deleteSpans(
  { shownAs }: Run,
  transaction: PostgresTransaction,
  settings: PostgresSettings,
  spans: readonly ReplacedSpan[],
): Promise<void> {
  const sources = spans.map((span) => shownSource(span, shownAs));
  await transaction.query(
    `delete from ${tableIn(settings, 'sample')} t
     using unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::float8[], $7::float8[])
       r (user_id, type, provider, device, recording_method, first, last)
     where t.user_id = r.user_id and t.type = r.type and t.provider = r.provider and t.device = r.device
       and t.recording_method is not distinct from r.recording_method
       and t.time >= coalesce(${instant('r.first')}, '-infinity') and t.time <= coalesce(${instant('r.last')}, 'infinity')`,
    [
      ...[spans.map(({ user_id }) => user_id), spans.map(({ type }) => type)],
      ...[sources.map(({ provider }) => provider), sources.map(({ device }) => device)],
      sources.map(({ recording_method }) => recording_method),
      ...[spans.map(({ first }) => first), spans.map(({ last }) => last)],
    ],
  );
}

// Records that are not there any more, or not among those of a replaced day.
async function deleteKeys(
  transaction: PostgresTransaction,
  settings: PostgresSettings,
  kind: RecordKind,
  keys: readonly ReplacedKey[],
): Promise<void> {
  const id = primaryKey(kind);
  await transaction.query(
    `delete from ${tableIn(settings, kind)} t using unnest($1::uuid[], $2::text[]) k (user_id, key)
     where t.user_id = k.user_id and t."${keyColumn(kind)}" = k.key::${kind === 'day' ? 'date' : 'uuid'}
       and not exists (select from ${staged(kind)} s where s."${id}" = t."${id}")`,
    [keys.map(({ user_id }) => user_id), keys.map(({ key }) => key)],
  );
}
