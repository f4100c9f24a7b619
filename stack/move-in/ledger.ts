import { z } from 'zod';

// Counts what became of each row of the source: rows that were read are moved, or left with a reason.

/** The counts of one table. */
export const TableCounts = z.object({
  read: z.int(),
  moved: z.int(),
  left: z.record(z.string(), z.int()),
});
export type TableCounts = z.infer<typeof TableCounts>;

/** Counts by table. */
export const Counts = z.record(z.string(), TableCounts);
export type Counts = z.infer<typeof Counts>;

/** A line of the report: rows that were left out, or moved with a change. It has ids and codes, and no value. */
export interface Line {
  readonly outcome: 'left' | 'changed';
  readonly table: string;
  readonly reason: string;
  readonly count: number;
  readonly user_id?: string | undefined;
  readonly id?: string | undefined;
  /** What of it: a series type, a field, a source. */
  readonly what?: string | undefined;
}

/** Rows that are left out, without what follows from the call. */
export type Left = Omit<Line, 'outcome' | 'count'> & { readonly count?: number };

/** The counts and lines of a part of the run: of the accounts, or of one user. */
export class Ledger {
  readonly counts: Counts = {};
  readonly lines: Line[] = [];

  read(table: string, rows = 1): void {
    if (rows === 0) return;
    this.#of(table).read += rows;
  }

  moved(table: string, rows = 1): void {
    if (rows === 0) return;
    this.#of(table).moved += rows;
  }

  left({ count = 1, ...left }: Left): void {
    if (count === 0) return;
    this.#countLeft(left.table, left.reason, count);
    this.lines.push({ outcome: 'left', ...left, count });
  }

  changed(changed: Left): void {
    this.lines.push({ outcome: 'changed', count: 1, ...changed });
  }

  /** Adds the counts of another part. */
  add(counts: Counts): void {
    for (const [table, { read, moved, left }] of Object.entries(counts)) {
      this.read(table, read);
      this.moved(table, moved);
      for (const [reason, count] of Object.entries(left)) this.#countLeft(table, reason, count);
    }
  }

  /** The same rows, all of them left for one reason. */
  allLeft(reason: string, userId: string): Ledger {
    const ledger = new Ledger();
    for (const [table, { read }] of Object.entries(this.counts)) {
      ledger.read(table, read);
      ledger.left({ table, reason, user_id: userId, count: read });
    }
    return ledger;
  }

  #countLeft(table: string, reason: string, count: number): void {
    const { left } = this.#of(table);
    left[reason] = (left[reason] ?? 0) + count;
  }

  #of(table: string): TableCounts {
    const counts = this.counts[table] ?? { read: 0, moved: 0, left: {} };
    this.counts[table] = counts;
    return counts;
  }
}

/** How many rows of a table were left. */
export function leftOf({ left }: TableCounts): number {
  return Object.values(left).reduce((sum, count) => sum + count, 0);
}
