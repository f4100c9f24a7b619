import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { FileReport } from './tap-report.ts';

/** Seconds that test files take. */
export type Durations = Readonly<Record<string, number>>;

const Table = z.record(z.string(), z.number());
/** Measured once for fresh clones: the files that take longest. */
const committed = 'test/durations.json';
/** Measured by the runs on this machine. */
const measured = '.tap/durations.json';

/** Reads both tables; what this machine measured replaces what is committed. */
export function readDurations(root: string): Durations {
  return { ...readTable(join(root, committed)), ...readTable(join(root, measured)) };
}

/** Writes down how long the files of a run took that passed. */
export function keepDurations(root: string, reports: readonly FileReport[]): void {
  const path = join(root, measured);
  const passed = reports.filter(({ failed, seconds }) => failed === 0 && seconds > 0);
  const table = {
    ...readTable(path),
    ...Object.fromEntries(passed.map(({ file, seconds }) => [file, seconds])),
  };
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(table));
}

/** The duration of a file; an unknown one counts as short. */
export function secondsOf(file: string, durations: Durations): number {
  return durations[file] ?? 1;
}

// A table that cannot be read changes the order and the groups of the files only.
function readTable(path: string): Durations {
  try {
    return existsSync(path) ? Table.parse(JSON.parse(readFileSync(path, 'utf8'))) : {};
  } catch {
    return {};
  }
}
