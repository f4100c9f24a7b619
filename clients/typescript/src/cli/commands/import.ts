import { File } from 'node:buffer';
import * as fs from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Failure } from '../command.ts';
import { findUser } from '../find-user.ts';
import { formatOption, printRows } from '../table.ts';

const pauseMs = 1000;
const hundred = 100;

export const importFile: Command = {
  name: 'import',
  summary: 'Import a file: Apple Health, FIT, TCX, GPX, CSV',
  usage: '<user> <file>',
  arity: [2, 2],
  options: {
    format: formatOption,
  },
  examples: ['pulsebus import 42 export.zip'],
  async run(context) {
    const { args, client, signal, output } = context;
    const path = args[1] ?? '';
    const file = new File([await contentOf(path)], basename(path));
    const { id: user_id } = await findUser(client(), args[0] ?? '', signal);
    let made = await client().fileImport.create({ user_id, file }, { signal });
    const which = { user_id, import_id: made.id };
    while (made.finished_at === null) {
      await sleep(pauseMs, undefined, { signal });
      made = await client().fileImport.get(which, { signal });
      const percent = Math.floor((hundred * made.bytes_read) / Math.max(1, made.bytes));
      output.note(`${made.state}: ${percent} %, ${made.items} entries`);
    }
    const rows = Object.entries(made.counts).map(([type, items]) => ({ type, items }));
    printRows(context, rows, [made]);
    for (const { type, reason, items, positions } of made.skipped)
      output.note(`${items} × ${type}: ${reason}${placesOf(made.kind, items, positions)}`);
    if (made.state === 'failed') throw new Failure(made.error ?? 'The import failed.');
    output.note(`Import ${made.id}: ${made.state}`);
  },
};

// Such as ` (line 3, 7, …)`.
function placesOf(kind: string | null, items: number, positions: readonly number[]): string {
  if (positions.length === 0) return '';
  const rest = items > positions.length ? ', …' : '';
  return ` (${kind === 'csv' ? 'line' : 'entry'} ${positions.join(', ')}${rest})`;
}

// A blob of a file is read while it is sent. Node 18 has none, and reads the file first.
async function contentOf(path: string): Promise<Blob> {
  const open: unknown = Reflect.get(fs, 'openAsBlob');
  try {
    const blob: unknown = typeof open === 'function' ? await open(path) : null;
    return blob instanceof Blob ? blob : new Blob([await fs.promises.readFile(path)]);
  } catch (cause) {
    throw new Failure(`${path} cannot be read.`, { cause });
  }
}
