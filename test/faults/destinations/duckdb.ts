import { execFileSync } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { columnList, type RowKind, rowKindOf } from '../../../domain/destinations/columns.ts';
import { manifestOf } from '../../services/destinations/manifest-rows.ts';
import type { S3Store } from '../../support/servers/s3-store.ts';

const tools = join(import.meta.dirname, '../../tools');

/** The parts of DuckDB that are used. */
interface DuckDb {
  readonly DuckDBInstance: {
    create(): Promise<{
      connect(): Promise<{
        runAndReadAll(sql: string): Promise<{ getRowsJson(): unknown[][] }>;
      }>;
    }>;
  };
}

/** DuckDB, which is installed into a folder: only this test needs its 70 MB. */
async function openDuckDb(folder: string) {
  const place = join(folder, 'tools');
  await cp(tools, place, { recursive: true });
  execFileSync('npm', ['ci'], { cwd: place, stdio: 'ignore' });
  const { DuckDBInstance }: DuckDb = createRequire(join(place, 'package.json'))('@duckdb/node-api');
  return (await DuckDBInstance.create()).connect();
}

/** The rows that a reader of the current manifest gets by DuckDB, as sorted lines of text. */
export async function rowsByDuckDb(store: S3Store, prefix: string, folder: string): Promise<string[]> {
  const { files } = await manifestOf(store, `${prefix}/`);
  for (const { path } of files) {
    const body = await store.get(`${prefix}/${path}`);
    if (body === null) throw new Error(`no object ${path}`);
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), body);
  }
  const duckDb = await openDuckDb(folder);
  const lines: string[] = [];
  for (const [kind, own] of Map.groupBy(files, ({ type }) => rowKindOf(type))) {
    const list = own.map(({ path }) => `'${join(folder, path)}'`).join(', ');
    const sql = `select ${selected(kind)} from read_parquet([${list}], hive_partitioning = true)`;
    const rows = (await duckDb.runAndReadAll(sql)).getRowsJson();
    lines.push(...rows.map((row) => row.map((value) => (value === null ? '' : String(value))).join('|')));
  }
  return lines.toSorted();
}

// The same form as rows of the database have in the comparison: times in milliseconds.
function selected(kind: RowKind): string {
  const isSample = kind === 'sample';
  const columns = columnList(kind).filter(({ name }) => !isSample || name !== 'type');
  const texts = columns.map(({ name, type }) => {
    if (type === 'timestamp')
      return `replace(strftime("${name}", '%Y-%m-%dT%H:%M:%S.%gZ'), 'T00:00:00.000Z', '')`;
    return type === 'date' ? `"${name}"::varchar` : `"${name}"`;
  });
  return [isSample ? '"type"' : `'${kind}'`, ...texts].join(', ');
}
