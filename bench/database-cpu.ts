import { readFileSync } from 'node:fs';
import type pg from 'pg';

/** CPU time of all processes of the database server, if it runs on this machine under Linux. */
export async function serverCpuMs(pool: pg.Pool): Promise<number> {
  return cpuMsOfAll(pool, 'select pid from pg_stat_activity');
}

/** CPU time of the connections to one database, of those that are still open. */
export async function databaseCpuMs(pool: pg.Pool): Promise<number> {
  return cpuMsOfAll(pool, 'select pid from pg_stat_activity where datname = current_database()');
}

/** The CPU time of the connections to one database since the first look, with those that were closed since. */
export function databaseUsage(pool: pg.Pool): { usage(): Promise<{ readonly cpu_ms: number }> } {
  const seen = new Map<number, number>();
  return {
    async usage() {
      const text = 'select pid from pg_stat_activity where datname = current_database()';
      const { rows } = await pool.query<{ pid: number }>(text);
      for (const { pid } of rows) seen.set(pid, Math.max(cpuMsOf(pid), seen.get(pid) ?? 0));
      return { cpu_ms: seen.values().reduce((sum, ms) => sum + ms, 0) };
    },
  };
}

async function cpuMsOfAll(pool: pg.Pool, text: string): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>(text);
  return rows.reduce((sum, { pid }) => sum + cpuMsOf(pid), 0);
}

// The first number of schedstat is the time on a processor, in nanoseconds.
function cpuMsOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return 0; // ended meanwhile, or elsewhere
  }
}
