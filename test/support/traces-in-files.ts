import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { spellingsOf } from './traces.ts';

/** The occurrences of values in the files of a folder, as `path: value`, once for equal files; `isSkipped` excludes paths. */
export function tracesInFiles(
  folder: string,
  values: readonly string[],
  isSkipped: (path: string) => boolean = () => false,
): string[] {
  const found = new Set<string>();
  const spellings = spellingsOf(values);
  // Two thirds of PostgreSQL's files are copies of others.
  const searched = new Set<string>();
  for (const path of filesIn(folder)) {
    const name = relative(folder, path);
    if (isSkipped(name)) continue;
    const bytes = readFileSync(path);
    const digest = hash('sha1', bytes);
    if (searched.has(digest)) continue;
    searched.add(digest);
    const text = bytes.toString('latin1').toLowerCase();
    for (const [value, spelling] of spellings) if (text.includes(spelling)) found.add(`${name}: ${value}`);
  }
  return [...found].sort();
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
