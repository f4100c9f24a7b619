// Reports changes of source files. Folders are watched and not files: `sed -i`, `git checkout` and many editors replace
// a file, which ends a watch of the file itself.
import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { extname, join, relative } from 'node:path';

const EXTENSIONS = ['.ts', '.js', '.sql', '.json'];
/** Folders that hold no source of what runs, or that a run writes to. */
const SKIPPED = ['node_modules', 'test', 'bench', 'grafana', 'docs'];
/** Changes within this time are reported as one, because a checkout changes many files. */
const QUIET_MS = 200;

/** Calls back with a changed file, relative to the root, once changes pause. Returns what ends the watch. */
export function watchSource(root: string, changed: (file: string) => void): () => void {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  const note = (file: string) => {
    clearTimeout(timer);
    timer = setTimeout(() => changed(relative(root, file)), QUIET_MS);
  };
  const add = (folder: string) => {
    if (watchers.has(folder)) return;
    const watcher = watch(folder, (_, name) => {
      if (name === null) return;
      addFolders(folder, add);
      if (EXTENSIONS.includes(extname(name)) && isSource(root, folder, name)) note(join(folder, name));
    });
    watcher.on('error', () => drop(watchers, folder)); // the folder is gone
    watchers.set(folder, watcher);
    addFolders(folder, add);
  };
  add(root);
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
  };
}

// Files of the root are lists of packages and the like; of those, only the program itself counts.
function isSource(root: string, folder: string, name: string): boolean {
  return folder !== root || extname(name) === '.ts';
}

function addFolders(folder: string, add: (folder: string) => void): void {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory() && !entry.name.startsWith('.') && !SKIPPED.includes(entry.name))
        add(join(folder, entry.name));
  } catch {
    // it was deleted meanwhile
  }
}

function drop(watchers: Map<string, FSWatcher>, folder: string): void {
  watchers.get(folder)?.close();
  watchers.delete(folder);
}
