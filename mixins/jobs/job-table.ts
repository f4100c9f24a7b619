import type { Queryable, Statement } from '../database/database.ts';

/**
 * A table whose rows are jobs. A row in progress is leased until `run_at`, and a waiting row is due from `run_at`. The
 * attempt number fences writes of earlier holders. It never decreases.
 */
export interface JobTable {
  /** The prefix of the statements' names. */
  readonly name: string;
  readonly table: string;
  /** The columns of the key, with the types that their parameters need. */
  readonly key: Readonly<Record<string, string>>;
  /** The column of the attempt number. */
  readonly attempt: string;
  /**
   * Assignments of a claim beside the attempt number and the end of the lease. Without a column that is reset at the
   * end, each release increments the attempt number, so that a late extension fails.
   */
  readonly lease?: string;
  /** The condition that is true for leased rows only. */
  readonly isLeased: string;
  /** The current time. Default: now(). `$n` continues after the parameters of the statement. */
  readonly now?: (parameter: number) => string;
}

/** A claim: which rows are due and in which order, and what is returned. `$1` is the limit, `$2` the lease in ms. */
export interface Claim {
  readonly name: string;
  /** A `select` of the key columns that ends with `limit $1 for update skip locked`. */
  readonly due: string;
  readonly returning: string;
  /** Number of parameters of `due`, with the limit and the lease. */
  readonly parameters?: number;
}

/** The statement of a claim: the due rows become leased rows of the caller. */
export function claimStatement(
  { name, table, key, attempt, lease, now }: JobTable,
  { name: claimName, due, returning, parameters = 2 }: Claim,
): Statement {
  const sameKey = Object.keys(key).map((column) => `j.${column} = due.${column}`);
  const leased = lease === undefined ? '' : `${lease}, `;
  return {
    name: `${name}.${claimName}`,
    text: `
      with due as (${due})
      update ${table} j set ${attempt} = j.${attempt} + 1,
        ${leased}run_at = ${now?.(parameters + 1) ?? 'now()'} + $2 * interval '1 ms'
      from due where ${sameKey.join(' and ')} returning ${returning}`,
  };
}

/** A leased row: its key in the order of the table, and its attempt. */
export interface LeasedRow {
  readonly key: readonly unknown[];
  readonly attempt: number;
}

/** Writes to a leased row that are fenced by its attempt. */
export interface FencedWrites {
  /**
   * A statement for the holder of a row. `$1` is the attempt, `$2…` is the key, and the parameters of `change` follow.
   */
  update(name: string, change: string, returning?: string): Statement;
  /** As `update`, but deletes the row. `condition` may use further parameters. */
  remove(name: string, condition?: string): Statement;
  /** The number of the first parameter after the key. */
  readonly next: number;
  /** Extends the lease of a row. Returns false if it was lost. */
  extend(database: Queryable, row: LeasedRow, leaseMs: number, ...now: unknown[]): Promise<boolean>;
}

/** The fenced writes of a table. */
export function fencedWrites({ name, table, key, attempt, isLeased, now }: JobTable): FencedWrites {
  const columns = Object.entries(key);
  const isKey = columns.map(([column, type], index) => `${column} = $${index + 2}::${type}`);
  const held = `where ${[...isKey, `${attempt} = $1`, isLeased].join(' and ')}`;
  const [firstColumn] = Object.keys(key);
  const next = columns.length + 2;
  const update = (statementName: string, change: string, returning = String(firstColumn)): Statement => ({
    name: `${name}.${statementName}`,
    text: `update ${table} set ${change} ${held} returning ${returning}`,
  });
  const extension = update('extend', `run_at = ${now?.(next + 1) ?? 'now()'} + $${next} * interval '1 ms'`);
  return {
    next,
    update,
    remove: (statementName, condition = 'true') => ({
      name: `${name}.${statementName}`,
      text: `delete from ${table} ${held} and ${condition} returning ${firstColumn}`,
    }),
    extend: (database, row, leaseMs, ...nowValues) =>
      changes(database, extension, row, leaseMs, ...nowValues),
  };
}

/** Runs a fenced statement. Returns whether the caller still held the row. */
export async function changes(
  database: Queryable,
  statement: Statement,
  { key, attempt }: LeasedRow,
  ...values: unknown[]
): Promise<boolean> {
  return (await database.query(statement, [attempt, ...key, ...values])).length > 0;
}
