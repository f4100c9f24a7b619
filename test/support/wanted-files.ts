import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { chromiumMissing } from '../../stack/find-chromium.ts';
import { touchedTests } from './changed.ts';

// A run of all tests with fewer files than this fails: files that are renamed or lost would go unnoticed.
const leastFiles = 145;

/** The test files of a run, how many there must be at least, and lines for the end of the report. */
export interface Wanted {
  readonly files: readonly string[];
  readonly least: number;
  readonly notes: readonly string[];
}

/** The test files that are named, those that a change touches, or all there are. Browser tests need Chromium. */
export function wantedFiles(root: string, args: readonly string[], hasChromium: boolean): Wanted {
  const inBrowser = globSync('test/browser/*.browser.ts', { cwd: root });
  const all = [...globSync('test/**/*.test.ts', { cwd: root }), ...(hasChromium ? inBrowser : [])];
  const notes = hasChromium
    ? []
    : [`Skipped ${inBrowser.length} files of browser tests (test/browser): ${chromiumMissing}.`];
  if (args.includes('--changed')) return { files: touchedTests(root, all), least: 0, notes };
  const named = args.flatMap((arg) => (existsSync(join(root, arg)) ? [arg] : globSync(arg, { cwd: root })));
  if (args.length > 0) return { files: named, least: args.length, notes: [] };
  return { files: all, least: leastFiles, notes };
}
