import pg from 'pg';
import { columnList, recordKinds } from '../../../domain/destinations/columns.ts';
import type { TestDatabase } from '../../support/servers/database.ts';
import { lineOf, textOf } from './manifest-rows.ts';

/** The kinds of rows, which are the names of the tables. */
const tables = ['sample', ...recordKinds] as const;

/** The rows of the tables of a destination, as lines of text. */
export async function rowsInTables(database: Pick<TestDatabase, 'query'>, schema: string): Promise<string[]> {
  const lines: string[] = [];
  for (const kind of tables) {
    const columns = columnList(kind).filter(({ name }) => kind !== 'sample' || name !== 'type');
    const list = columns.map(({ name, type }) =>
      type === 'date' || type === 'json' ? `"${name}"::text as "${name}"` : `"${name}"`,
    );
    const type = kind === 'sample' ? 'type' : `'${kind}'`;
    const rows = await database.query<Record<string, unknown>>(
      `select ${type} as "row type", ${list.join(', ')} from "${schema}"."${kind}"`,
    );
    for (const row of rows)
      lines.push(
        lineOf(
          String(row['row type']),
          columns.map(({ name }) => textOf(row[name])),
        ),
      );
  }
  return lines.toSorted();
}

/** Rows of a user in the tables of a destination. */
export async function tracesInTables(
  database: Pick<TestDatabase, 'query'>,
  schema: string,
  user: string,
): Promise<number> {
  let traces = 0;
  for (const kind of tables) {
    const rows = await database.query<{ n: number }>(
      `select count(*)::int as n from "${schema}"."${kind}" x where strpos(to_jsonb(x)::text, $1) > 0`,
      [user],
    );
    traces += rows[0]?.n ?? 0;
  }
  return traces;
}

/** The settings that lead to a database of the tests. */
export function settingsOf(url: string) {
  const { hostname, port, username, password, pathname } = new URL(url);
  const parsed = new pg.Client({ connectionString: url });
  return {
    host: `${hostname}:${port}`,
    settings: {
      ...{ host: hostname, port: Number(port), user: username || (parsed.user ?? ''), tls: 'off' },
      ...{ password: decodeURIComponent(password), database: pathname.slice(1), schema: 'copy' },
    },
  };
}
