import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromiumMissing } from '../../stack/packages/find-chromium.ts';
import { touchedTests } from './changed.ts';

// Files that tests of the runner run, and those of `npm run test:faults`.
const elsewhere = /^test\/fixtures\/|\.fault\.ts$/;
const inBrowser = 'test/browser/*.browser.ts';

/** The test files of a run, those that it should have and has not, and lines for the end of the report. */
export interface Wanted {
  readonly files: readonly string[];
  readonly lost: readonly string[];
  readonly notes: readonly string[];
}

/** The test files that are named, those that a change touches, or all there are. Browser tests need Chromium. */
export function wantedFiles(root: string, args: readonly string[], hasChromium: boolean): Wanted {
  const browser = globSync(inBrowser, { cwd: root });
  const all = [...globSync('test/**/*.test.ts', { cwd: root }), ...(hasChromium ? browser : [])];
  const notes = hasChromium ? [] : [skipped(browser)];
  if (args.includes('--changed')) {
    const { files, base } = touchedTests(root, all);
    const noBase = 'Found no branch main or origin/main: only what is not committed counts as changed.';
    return { files, lost: [], notes: base === null ? [...notes, noBase] : notes };
  }
  if (args.length === 0) return { files: all, lost: lostFiles(root, [...all, ...browser]), notes };
  const found = args.map((arg) => (existsSync(join(root, arg)) ? [arg] : globSync(arg, { cwd: root })));
  return { files: found.flat(), lost: args.filter((_, index) => found[index]?.length === 0), notes: [] };
}

function skipped(files: readonly string[]): string {
  return `Skipped ${files.length} files of browser tests (test/browser): ${chromiumMissing}.`;
}

// A test file imports tap's `t`. One that was renamed so that no pattern finds it would go unnoticed.
function lostFiles(root: string, found: readonly string[]): string[] {
  if (found.length === 0) return ['test/**/*.test.ts'];
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => join('test', name))
    .filter((name) => name.endsWith('.ts') && !elsewhere.test(name) && !found.includes(name))
    .filter((name) => /^import t\b.* from 'tap';$/m.test(readFileSync(join(root, name), 'utf8')));
}
