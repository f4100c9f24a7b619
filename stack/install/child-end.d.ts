import type { ChildProcess } from 'node:child_process';

/** See child-end.js. */
export function endOf(
  child: ChildProcess,
  instead?: NodeJS.Signals,
): Promise<{ code?: number | null; signal?: NodeJS.Signals | null; error?: Error; exitCode?: number }>;
