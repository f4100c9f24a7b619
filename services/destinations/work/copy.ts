import { z } from 'zod';
import type { RecordKind } from '../../../domain/destinations/columns.ts';
import { readMethod } from '../../../domain/records/recording-method.ts';
import { type SeriesType, seriesCatalogue } from '../../../domain/records/series.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { ObjectChange, RecordChange, SampleChange } from '../tables/changes.ts';
import { advance, type DestinationRow } from '../tables/destinations.ts';
import { type ReadRecord, readRecords } from '../tables/records.ts';
import { readSamples, readSpanSamples, type SampleBatch } from '../tables/samples.ts';
import type { Snapshot } from '../tables/snapshot.ts';
import type { Run } from './targets/target.ts';

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
type TakeSpans = (batch: SampleBatch, type: SeriesType, spans: readonly ReplacedSpan[]) => Promise<void>;

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
      span,
      from: span.first ?? always,
      end: span.last === null ? never : span.last + 1,
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

/** Samples of one source that are replaced as a whole. Microseconds since 1970, both included; null: no bound. */
export interface ReplacedSpan {
  readonly user_id: string;
  readonly type: SeriesType;
  /** As they are stored. */
  readonly provider: string;
  readonly device: string;
  readonly first: number | null;
  readonly last: number | null;
  /** The id of the last change of it. */
  readonly sequence: string;
}

/** Records of a user that are replaced: by their ids, or those of local days. */
export interface ReplacedKey {
  readonly kind: RecordKind;
  readonly user_id: string;
  readonly key: string;
  readonly sequence: string;
}

/** What a part of the change log replaces. No two entries have a row in common. */
export interface Plan {
  readonly spans: readonly ReplacedSpan[];
  readonly keys: readonly ReplacedKey[];
}

/** A column that keys are values of. */
export type KeyColumn = 'id' | 'local_date' | 'user_id';

/** The column that the keys of a kind are values of. */
export function keyColumn(kind: RecordKind): KeyColumn {
  if (kind === 'user') return 'user_id';
  return kind === 'day' ? 'local_date' : 'id';
}

/** What changes replace, each row once: spans of a source that meet are one. */
export function planChanges(changes: readonly ObjectChange[]): Plan {
  const samples = changes.filter((one) => one.kind === 'sample');
  const records = changes.filter((one) => one.kind !== 'sample');
  const bySource = Object.values(
    Object.groupBy(samples, ({ user_id, type, provider, device }) =>
      JSON.stringify([user_id, type, provider, device]),
    ),
  );
  return {
    spans: bySource.flatMap((one) => joined(one ?? [])),
    keys: [
      ...new Map(
        records.flatMap(keyOf).map((one) => [JSON.stringify([one.kind, one.user_id, one.key]), one]),
      ).values(),
    ],
  };
}

function joined(changes: readonly SampleChange[]): ReplacedSpan[] {
  const sorted = changes
    .map(({ user_id, type, provider, device, first, last, id }) => ({
      user_id,
      type,
      provider,
      device,
      sequence: id,
      first: last === null ? null : first,
      last: first === null ? null : last,
    }))
    .toSorted((one, other) => lowest(one) - lowest(other));
  const spans: ReplacedSpan[] = [];
  for (const span of sorted) {
    const before = spans.at(-1);
    if (before === undefined || highest(before) < lowest(span)) spans.push(span);
    else spans[spans.length - 1] = union(before, span);
  }
  return spans;
}

const lowest = ({ first }: Pick<ReplacedSpan, 'first'>) => first ?? Number.NEGATIVE_INFINITY;
const highest = ({ last }: Pick<ReplacedSpan, 'last'>) => last ?? Number.POSITIVE_INFINITY;

function union(one: ReplacedSpan, other: ReplacedSpan): ReplacedSpan {
  const last = Math.max(highest(one), highest(other));
  const sequence = BigInt(one.sequence) > BigInt(other.sequence) ? one.sequence : other.sequence;
  return { ...one, last: Number.isFinite(last) ? last : null, sequence };
}

function keyOf({ kind, user_id, record_id, date, id }: RecordChange): ReplacedKey[] {
  const keys = { id: record_id, local_date: date, user_id };
  const key = keys[keyColumn(kind)];
  return key === null ? [] : [{ kind, user_id, key, sequence: id }];
}

/** The source of a span as it is shown. */
export function shownSource(
  { provider, device: stored }: Pick<ReplacedSpan, 'provider' | 'device'>,
  shownAs: (provider: string) => string,
): { readonly provider: string; readonly device: string; readonly recording_method: string | null } {
  const { device, method } = readMethod(stored);
  return { provider: shownAs(provider), device, recording_method: method };
}

/** How far the copy of what was stored before has come: all users up to `after`. */
const CopiedUsers = z.object({ after: z.uuid().nullable().default(null) });

const Progress = z.object({
  /** The number of the copy; a higher one is a later one. Null: not begun. */
  generation: z.string().nullable().default(null),
  /** Whether the copy begins anew. */
  reset: z.boolean().default(false),
});

/** The number of the copy, or null if one begins. */
export function generationOf({ progress }: DestinationRow): string | null {
  const { generation, reset } = Progress.parse(progress);
  return reset ? null : generation;
}

/** Stores that a copy has begun. */
export async function storeBegun({ destination, database }: Run): Promise<void> {
  const { position, snapshot, version } = destination;
  const progress = { generation: version };
  await advance(database, destination, { position, snapshot, progress, rows: 0 });
}

/** Stores how far a copy has come. */
export function storeAdvance(
  { destination, database }: Run,
  next: { readonly position: string; readonly snapshot: DestinationRow['snapshot']; readonly rows: number },
): Promise<void> {
  return advance(database, destination, { ...next, progress: destination.progress });
}

/** The next users of a copy. */
export interface UsersPage {
  readonly after: string | null;
  readonly users: readonly string[];
  /** The last user of the page; null if no user follows. */
  readonly last: string | null;
}

const usersPerPage = 200;

// At least one user, then as many as have the rows of a commit together. Statistics have the number of samples.
const statement = {
  name: 'destinations.select_users',
  text: `
    with next as (
      select id from users.person where project_id = $1 and deleted_at is null
        and id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000')
      order by id limit ${usersPerPage}
    ),
    counted as (
      select u.id, coalesce((
        select sum(d.n) from timeseries.series s join timeseries.sample_day d on d.series_id = s.id
        where s.user_id = u.id), 0) as n
      from next u
    )
    select id, total - n < $3 as is_included from (
      select id, n, sum(n) over (order by id) as total from counted) c
    order by id`,
};

/** The users whose rows are copied next. */
export async function selectUsersPage(
  database: Queryable,
  { destination, pace }: Run,
  snapshot: NonNullable<DestinationRow['snapshot']>,
): Promise<UsersPage> {
  const { after } = CopiedUsers.parse(snapshot);
  const found = await database.query<{ id: string; is_included: boolean }>(statement, [
    destination.project_id,
    after,
    pace.rowsPerCommit,
  ]);
  const users = found.filter(({ is_included }) => is_included).map(({ id }) => id);
  const isLast = found.length < usersPerPage && users.length === found.length;
  return { after, users, last: isLast ? null : (users.at(-1) ?? null) };
}

/** The snapshot of a destination after a page. */
export function afterPage({ last }: UsersPage): DestinationRow['snapshot'] {
  return last === null ? null : { after: last };
}
