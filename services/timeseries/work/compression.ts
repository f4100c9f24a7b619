import type { Logger } from 'moleculer';
import { hourMs, minuteMs } from '../../../domain/time/time.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { JobOutcome } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, recurringHandler } from '../../../mixins/jobs/jobs.ts';
import type { Held } from '../../../runtime/jobs/job-worker.ts';
import {
  type ChunkRow,
  canCompress,
  compressChunk,
  enableCompression,
  hasPlainRows,
  selectOldChunks,
  vacuumChunk,
} from '../tables/chunks.ts';

/*
 * SAMPLE_COMPRESS_AFTER_DAYS. Chunks of samples that ended longer ago are compressed where TimescaleDB's licence permits,
 * one a transaction; rows that came later are added to them in the next run. The extension's own background jobs are not
 * used: they would lose statistics (see migrations/0136-compression).
 */

/** What compresses, and when. */
interface Compressing {
  readonly database: Database;
  /** 0 compresses nothing. */
  readonly afterDays: number;
  readonly logger: Logger;
}

/** What became of the old chunks in one run. `left` were in use. */
interface Compressed {
  readonly compressed: number;
  readonly recompressed: number;
  readonly left: number;
}

const compression = { name: 'timeseries.compression', everyMs: 24 * hourMs, firstAfterMs: minuteMs };
const retryMs = 5 * minuteMs;

/** Compresses old samples in one process at a time, daily. */
export function compressionHandler(deps: Compressing): JobHandler {
  return recurringHandler(compression, (held) => run(deps, held));
}

async function run(deps: Compressing, held: Held): Promise<JobOutcome> {
  const { compressed, recompressed, left } = await compressOldChunks(deps, held.signal);
  if (compressed + recompressed + left > 0)
    deps.logger.info('compression.done', { compressed, recompressed, left });
  if (held.signal.aborted) return { kind: 'stopped' };
  return left > 0 ? { kind: 'again', delayMs: retryMs } : { kind: 'done' };
}

/** Compresses the old chunks that are not, and the rows that were added to the others. */
export async function compressOldChunks(
  { database, afterDays }: Omit<Compressing, 'logger'>,
  signal?: AbortSignal,
): Promise<Compressed> {
  const done = { compressed: 0, recompressed: 0, left: 0 };
  if (afterDays === 0 || !(await canCompress(database))) return done;
  const chunks = await selectOldChunks(database, afterDays);
  if (chunks.length === 0) return done;
  if (!(await unlessInUse(() => enableCompression(database)))) return { ...done, left: chunks.length };
  for (const chunk of chunks) {
    if (signal?.aborted === true) break;
    if (chunk.is_compressed && !(await hasPlainRows(database, chunk))) continue;
    if (!(await compress(database, chunk))) done.left += 1;
    else if (chunk.is_compressed) done.recompressed += 1;
    else done.compressed += 1;
  }
  return done;
}

async function compress(database: Database, chunk: ChunkRow): Promise<boolean> {
  if (!(await unlessInUse(() => compressChunk(database, chunk)))) return false;
  await unlessInUse(() => vacuumChunk(database, chunk));
  return true;
}

/** A lock was not available, a concurrent write came in between, two transactions waited for each other, or the time is over. */
const inUse: ReadonlySet<unknown> = new Set(['55P03', '40001', '40P01', '57014']);

async function unlessInUse(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (inUse.has(Reflect.get(Object(error), 'code'))) return false;
    throw error;
  }
}
