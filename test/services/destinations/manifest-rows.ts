import { zstdDecompressSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { z } from 'zod';
import { columnList, recordKinds, rowKindOf } from '../../../domain/destinations/columns.ts';
import { readRecords } from '../../../services/destinations/tables/records.ts';
import type { TestDatabase } from '../../support/servers/database.ts';
import type { S3Store } from '../../support/servers/s3-store.ts';

/** A manifest, as its readers see it. */
export const Manifest = z.object({
  version: z.literal(1),
  commit: z.int(),
  sequence: z.string(),
  rows: z.int(),
  files: z.array(
    z.object({
      path: z.string(),
      type: z.string(),
      date: z.string(),
      hour: z.int().nullable(),
      rows: z.int(),
      bytes: z.int(),
    }),
  ),
});
export type Manifest = z.infer<typeof Manifest>;

/** The current manifest. */
export async function manifestOf(store: S3Store, prefix = ''): Promise<Manifest> {
  return Manifest.parse(JSON.parse(String(await store.get(`${prefix}manifest.json`))));
}

/** The rows of one file of a manifest, as lines of text. */
async function rowsOfFile(store: S3Store, key: string, type: string): Promise<string[]> {
  const bytes = await store.get(key);
  if (bytes === null) throw new Error(`no object ${key}`);
  const file = new Uint8Array(bytes).buffer;
  const rows = await parquetReadObjects({
    file,
    compressors: { ZSTD: (input) => zstdDecompressSync(input) },
  });
  const names = columnList(rowKindOf(type))
    .map(({ name }) => name)
    .filter((name) => name !== 'type' || rowKindOf(type) !== 'sample');
  return rows.map((row) =>
    lineOf(
      type,
      names.map((name) => textOf(row[name])),
    ),
  );
}

/** All rows that the current manifest names, sorted, and checked against its numbers. */
export async function rowsInStore(store: S3Store, prefix = ''): Promise<string[]> {
  const { files } = await manifestOf(store, prefix);
  const lines: string[] = [];
  for (const { path, type, rows } of files) {
    const own = await rowsOfFile(store, `${prefix}${path}`, type);
    if (own.length !== rows) throw new Error(`${path} has ${own.length} rows, not ${rows}`);
    lines.push(...own);
  }
  return lines.toSorted();
}

/** The same rows, as the database has them. */
export async function rowsInDatabase(database: TestDatabase, project = 'default'): Promise<string[]> {
  const lines: string[] = [];
  const samples = await database.query<Record<string, unknown>>(
    `select t.name as type, s.user_id, s.provider, split_part(s.device, chr(31), 1) as device,
       nullif(split_part(s.device, chr(31), 2), '') as recording_method, x.*
     from timeseries.series s join timeseries.series_type t on t.id = s.type_id join users.person p on p.id = s.user_id
     cross join lateral (
       select (extract(epoch from ts) * 1000000)::bigint as time, null::int as duration_ms, value, zone_offset_minutes
       from timeseries.sample where series_id = s.id
       union all
       select (extract(epoch from start_time) * 1000000)::bigint, duration_ms, value, zone_offset_minutes
       from timeseries.interval_value where series_id = s.id) x
     where p.project_id = $1 and p.deleted_at is null`,
    [project],
  );
  const names = columnList('sample').map(({ name }) => name);
  for (const row of samples) {
    const values = names.filter((name) => name !== 'type').map((name) => textOf(row[name]));
    lines.push(lineOf(String(row.type), values));
  }
  await database.transaction(async (transaction) => {
    for (const kind of recordKinds)
      await readRecords(
        transaction,
        { kind, project, users: null, ids: null, dates: null },
        (records) => {
          for (const { values } of records) lines.push(lineOf(kind, values.map(textOf)));
        },
        (provider) => provider,
      );
  });
  return lines.toSorted();
}

/** A row as a line of text. */
export const lineOf = (type: string, values: readonly string[]) => [type, ...values].join('|');

/** A value as it stands in a line. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  // Of a timestamp milliseconds are compared: a Date has no more.
  if (value instanceof Date) return dateText(value);
  if (typeof value === 'number' && value > 1e14) return dateText(new Date(value / 1000));
  if (typeof value === 'string' && /^\d{15,16}$/.test(value)) return dateText(new Date(Number(value) / 1000));
  return String(value);
}

const dateText = (date: Date) => date.toISOString().replace('T00:00:00.000Z', '');
