import type { Queryable, Statement } from '../database/database.ts';

/**
 * Results of earlier attempts at a delivery, entry by entry, so that the next attempt continues there: fetched bodies,
 * and the result of each entry. Bodies are kept as long as their delivery, for replays. Results from before a replay
 * are ignored.
 */
export interface Progress {
  /** All entries by name. */
  read(): Promise<ReadonlyMap<string, Reached>>;
  readBody(entry: string): Promise<Buffer | null>;
  /** Stores a body. Returns false if the lease was lost. */
  keepBody(entry: string, body: Buffer): Promise<boolean>;
  /** Stores a result, a JSON value. Returns false if the lease was lost. */
  keepResult(entry: string, result: unknown): Promise<boolean>;
}

/** The state of an entry. `result` is null until there is one. */
export interface Reached {
  readonly hasBody: boolean;
  readonly result: unknown;
}

interface ProgressRow {
  entry: string;
  has_body: boolean;
  result: unknown;
}

const selectProgress: Statement = {
  name: 'inbox.progress',
  text: `
    select p.entry, p.body is not null as has_body,
      case when p.result_at >= coalesce(d.replayed_at, '-infinity') then p.result end as result
    from deliveries.progress p join deliveries.delivery d on d.id = p.delivery_id
    where p.delivery_id = $1`,
};

// Read in slices for the same reason as the bodies of deliveries.
const selectSlice: Statement = {
  name: 'inbox.progress_body',
  text: 'select substring(body from $3 for $4) as slice from deliveries.progress where delivery_id = $1 and entry = $2',
};
const sliceBytes = 8 * 1024 * 1024;

// Fenced by the attempt: a former holder of the lease must not write for the current one.
const held = `from deliveries.delivery where id = $1 and attempts = $2 and state = 'working'`;

const keepBody: Statement = {
  name: 'inbox.keep_body',
  text: `
    insert into deliveries.progress (delivery_id, entry, body) select id, $3, $4::bytea ${held}
    on conflict (delivery_id, entry) do update set body = excluded.body
    returning entry`,
};

const keepResult: Statement = {
  name: 'inbox.keep_result',
  text: `
    insert into deliveries.progress (delivery_id, entry, result, result_at) select id, $3, $4::json, now() ${held}
    on conflict (delivery_id, entry) do update set result = excluded.result, result_at = excluded.result_at
    returning entry`,
};

/** The progress of a delivery, for the holder of its lease. */
export function progressOn(
  database: Queryable,
  { id, attempt }: { readonly id: string; readonly attempt: number },
): Progress {
  const changed = async (statement: Statement, entry: string, value: Buffer | string) =>
    (await database.query(statement, [id, attempt, entry, value])).length > 0;
  return {
    async read() {
      const rows = await database.query<ProgressRow>(selectProgress, [id]);
      return new Map(rows.map(({ entry, has_body, result }) => [entry, { hasBody: has_body, result }]));
    },
    readBody: (entry) => readProgressBody(database, id, entry),
    keepBody: (entry, body) => changed(keepBody, entry, body),
    keepResult: (entry, result) => changed(keepResult, entry, JSON.stringify(result)),
  };
}

/** The stored body of an entry of a delivery, or null if there is none. */
export async function readProgressBody(
  database: Queryable,
  id: string,
  entry: string,
): Promise<Buffer | null> {
  const slices: Buffer[] = [];
  for (let from = 1; ; from += sliceBytes) {
    const values = [id, entry, from, sliceBytes];
    const [row] = await database.query<{ slice: Buffer | null }>(selectSlice, values);
    if (row === undefined || row.slice === null) return null;
    slices.push(row.slice);
    if (row.slice.length < sliceBytes) return Buffer.concat(slices);
  }
}
