import type { RecordKind } from '../../../domain/destinations/columns.ts';
import { type SeriesType, seriesCatalogue } from '../../../domain/records/series.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type ReadRecord, readRecords } from '../read/records.ts';
import { readSamples, readSpanSamples, type SampleBatch } from '../read/samples.ts';
import type { Snapshot } from '../read/snapshot.ts';
import type { Run } from '../targets/target.ts';
import type { Plan, ReplacedKey, ReplacedSpan } from './plan-changes.ts';

/** Takes samples of one type, batch by batch. */
export type TakeSamples = (batch: SampleBatch, type: SeriesType) => Promise<void>;
/** Takes records of one kind, batch by batch. */
export type TakeRecords = (records: readonly ReadRecord[], kind: RecordKind) => Promise<void>;

/** Bounds of all times, in microseconds since 1970: the years 1 and 10000. */
const [always, never] = [-62_135_596_800_000_000, 253_402_300_800_000_000];

/** A plan without deleted users. Their rows go with their erasure. */
export async function withoutDeleted(snapshot: Queryable, run: Run, plan: Plan): Promise<Plan> {
  const ids = [...new Set([...plan.spans, ...plan.keys].map(({ user_id }) => user_id))];
  const rows = await snapshot.query<{ id: string }>(
    'select id from users.person where project_id = $1 and deleted_at is null and id = any($2::uuid[])',
    [run.destination.project_id, ids],
  );
  const users = new Set(rows.map(({ id }) => id));
  const isLeft = ({ user_id }: { readonly user_id: string }) => users.has(user_id);
  return { spans: plan.spans.filter(isLeft), keys: plan.keys.filter(isLeft) };
}

/** Takes samples of spans: `series` of a batch has indexes into `spans`. */
export type TakeSpans = (
  batch: SampleBatch,
  type: SeriesType,
  spans: readonly ReplacedSpan[],
) => Promise<void>;

/** Reads the samples of spans, span by span, oldest first. Spans without samples do not occur. */
export async function readSpans(
  { destination, shownAs }: Run,
  snapshot: Snapshot,
  all: readonly ReplacedSpan[],
  take: TakeSpans,
): Promise<void> {
  for (const [type, own] of Map.groupBy(all, (span) => span.type)) {
    const spans = own.map((span) => ({
      ...span,
      ...{ span, from: span.first ?? always, end: span.last === null ? never : span.last + 1 },
    }));
    await readSpanSamples(
      snapshot,
      { type, project: destination.project_id, spans },
      (batch, of) =>
        take(
          batch,
          type,
          of.map(({ span }) => span),
        ),
      shownAs,
    );
  }
}

/** Reads the records that keys of one kind name. */
export async function readKeys(
  { destination, shownAs }: Run,
  snapshot: Snapshot,
  kind: RecordKind,
  keys: readonly ReplacedKey[],
  take: TakeRecords,
): Promise<void> {
  if (keys.length === 0) return;
  const all = keys.map(({ user_id }) => user_id);
  const named = keys.map(({ key }) => key);
  const users = kind === 'day' ? all : [...new Set(all)];
  const [ids, dates] = [kind === 'day' || kind === 'user' ? null : named, kind === 'day' ? named : null];
  const query = { kind, project: destination.project_id, users, ids, dates };
  await readRecords(snapshot, query, (records) => take(records, kind), shownAs);
}

/** Reads the records of one kind that users have. */
export async function readRecordsOf(
  run: Run,
  snapshot: Snapshot,
  kind: RecordKind,
  users: readonly string[],
  take: TakeRecords,
): Promise<void> {
  const { destination, shownAs } = run;
  const project = destination.project_id;
  const query = { kind, project, users, ids: null, dates: null };
  if (isWanted(run, kind)) await readRecords(snapshot, query, (records) => take(records, kind), shownAs);
}

/** Reads the samples of users, type by type. */
export async function readSamplesOf(
  run: Run,
  snapshot: Snapshot,
  users: readonly string[],
  take: TakeSamples,
): Promise<void> {
  const { destination, shownAs } = run;
  const project = destination.project_id;
  for (const type of await selectTypes(snapshot, users)) {
    const query = { type, project, users, from: always, end: never };
    if (isWanted(run, type)) await readSamples(snapshot, query, (batch) => take(batch, type), shownAs);
  }
}

function isWanted({ destination: { types } }: Run, type: string): boolean {
  return types === null || types.some((one) => one === type);
}

async function selectTypes(snapshot: Queryable, users: readonly string[]): Promise<SeriesType[]> {
  const rows = await snapshot.query<{ id: number }>(
    'select distinct type_id as id from timeseries.series where user_id = any($1::uuid[])',
    [users],
  );
  const ids = new Set(rows.map(({ id }) => id));
  return seriesCatalogue.filter(({ id }) => ids.has(id)).map(({ type }) => type);
}
