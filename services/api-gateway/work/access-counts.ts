import { randomUUID } from 'node:crypto';
import type { Logger } from 'moleculer';
import { type CountedRead, mostNotedAccesses } from '../../../contracts/auth/accesses.ts';
import type { Caller } from '../../../contracts/auth/schemas.ts';
import { defaultProject } from '../../../domain/access.ts';
import type { DataKind } from '../../../domain/data-kind.ts';
import { hourMs } from '../../../domain/time/time.ts';
import { actorOf } from '../../../runtime/audit-origin.ts';

/** Distinct rows at which the counts are written at once. */
const mostRows = 10_000;
/** Distinct rows that are kept while they cannot be written. Further ones are lost, and the log says how many. */
const mostKept = 100_000;

/** Reads of this process; `sequence` numbers its batches. */
export interface AccessBatch {
  readonly process_id: string;
  readonly sequence: number;
  readonly reads: CountedRead[];
}

interface Deps {
  readonly send: (batch: AccessBatch) => Promise<unknown>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now: () => number;
}

/**
 * The reads of health values that this process answered, by user, actor, kind of data and hour. A periodic task writes them
 * every second; a process that is killed loses those of its last second. A batch that was not confirmed is sent again with
 * its sequence number, by which auth adds it once.
 */
export class AccessCounts {
  readonly #deps: Deps;
  readonly #processId = randomUUID();
  readonly #rows = new Map<string, CountedRead>();
  #unconfirmed: AccessBatch | null = null;
  #sequence = 0;
  #writing: Promise<void> | null = null;
  #lost = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Counts one read. */
  note(caller: Caller, userId: string, kind: DataKind): void {
    const nowMs = this.#deps.now();
    const row = {
      project_id: caller.project_id ?? defaultProject,
      user_id: userId.toLowerCase(),
      actor: actorOf(caller),
      kind,
      hour_ms: nowMs - (nowMs % hourMs),
    };
    const key = `${row.user_id} ${row.hour_ms} ${row.kind} ${row.actor}`;
    const held = this.#rows.get(key);
    if (held === undefined && this.#rows.size >= mostKept) this.#lost += 1;
    else this.#rows.set(key, { ...row, count: (held?.count ?? 0) + 1 });
    // The periodic task repeats what fails, and logs it.
    if (this.#rows.size >= mostRows && this.#unconfirmed === null) this.write().catch(() => undefined);
  }

  /** Writes what was counted. @throws the failure of `send`; the next call repeats the batch. */
  write(): Promise<void> {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    this.#reportLost();
    for (let batch = this.#nextBatch(); batch !== null; batch = this.#nextBatch()) {
      await this.#deps.send(batch);
      this.#unconfirmed = null;
    }
  }

  #nextBatch(): AccessBatch | null {
    if (this.#unconfirmed !== null) return this.#unconfirmed;
    const reads: CountedRead[] = [];
    for (const [key, row] of this.#rows) {
      if (reads.length === mostNotedAccesses) break;
      reads.push(row);
      this.#rows.delete(key);
    }
    if (reads.length === 0) return null;
    this.#sequence += 1;
    this.#unconfirmed = { process_id: this.#processId, sequence: this.#sequence, reads };
    return this.#unconfirmed;
  }

  #reportLost(): void {
    if (this.#lost === 0) return;
    this.#deps.logger.warn('gateway.reads_not_recorded', { reads: this.#lost });
    this.#lost = 0;
  }
}
