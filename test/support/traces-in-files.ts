import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { spellingsOf } from './traces.ts';

/** The occurrences of values in the files of a folder, as `path: value`; `isSkipped` excludes paths. */
export function tracesInFiles(
  folder: string,
  values: readonly string[],
  isSkipped: (path: string) => boolean = () => false,
): string[] {
  const found = new Set<string>();
  const spellings = spellingsOf(values);
  for (const path of filesIn(folder)) {
    const name = relative(folder, path);
    if (isSkipped(name)) continue;
    const text = readFileSync(path).toString('latin1').toLowerCase();
    for (const [value, spelling] of spellings) if (text.includes(spelling)) found.add(`${name}: ${value}`);
  }
  return [...found].sort();
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
