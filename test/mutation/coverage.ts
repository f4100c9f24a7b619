import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { runTest } from './run-test.ts';
import type { Fault } from './small-faults.ts';

const Range = z.object({ startOffset: z.int(), endOffset: z.int(), count: z.int() });
const Report = z.object({
  result: z.array(z.object({ url: z.string(), functions: z.array(z.object({ ranges: z.array(Range) })) })),
});

/** What one test file ran: by source file, the ranges of V8's coverage, and how long it took. */
export interface Covered {
  readonly test: string;
  readonly tookMs: number;
  readonly files: Readonly<Record<string, readonly (readonly [start: number, end: number, count: number])[]>>;
}

/** Runs one test file and reads its coverage. Null if it fails, because its result is meaningless then. */
export async function coverageOf(root: string, test: string, limitMs: number): Promise<Covered | null> {
  const folder = mkdtempSync(join(tmpdir(), 'pulsebus-coverage-'));
  try {
    const began = Date.now();
    const passed = await runTest(root, test, limitMs, { NODE_V8_COVERAGE: folder });
    if (!passed) return null;
    return { test, tookMs: Date.now() - began, files: readReports(root, folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReports(root: string, folder: string): Covered['files'] {
  const files: Record<string, [number, number, number][]> = {};
  for (const name of readdirSync(folder)) {
    const report = Report.safeParse(JSON.parse(readFileSync(join(folder, name), 'utf8')));
    for (const { url, functions } of report.data?.result ?? []) {
      const file = url.startsWith('file:') ? relative(root, fileURLToPath(url.split('?')[0] ?? '')) : '..';
      if (file.startsWith('..') || file.startsWith('node_modules') || file.startsWith('test')) continue;
      const ranges = functions.flatMap((one) => one.ranges);
      files[file] = [
        ...(files[file] ?? []),
        ...ranges.map((r) => [r.startOffset, r.endOffset, r.count] as [number, number, number]),
      ];
    }
  }
  return files;
}

/** Whether a test runs the place of a fault: the smallest range around it ran at least once. */
export function covers({ files }: Covered, { file, start, inSql }: Fault): boolean {
  const ranges = files[file] ?? [];
  // The text of a query is made when its module is loaded; a test uses it when it runs a function of the file.
  if (inSql) return ranges.some(([from, , count]) => from > 0 && count > 0);
  const around = ranges.filter(([from, to]) => from <= start && start < to);
  const least = Math.min(...around.map(([from, to]) => to - from));
  return around.some(([from, to, count]) => to - from === least && count > 0);
}
