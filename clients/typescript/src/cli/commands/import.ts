import { File } from 'node:buffer';
import * as fs from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, type Context, Failure, UsageError } from '../command.ts';
import { findUser } from '../find-user.ts';
import { formatOption, printRows } from '../table.ts';
import { chunksOf, writeWhole } from './export.ts';

const pauseMs = 1000;
const hundred = 100;

export const importFile: Command = {
  name: 'import',
  summary: 'Import a file (Apple Health, FIT, TCX, GPX, CSV, or an archive), or download one',
  usage: '<user> <file>|download <user> <import>',
  words: ['download'],
  arity: [2, 3],
  options: {
    'password-file': {
      type: 'string',
      value: 'FILE',
      description: 'the first line of FILE is the password of the archive',
    },
    output: {
      type: 'string',
      value: 'FILE',
      description: 'download: the file to write, which exists only if it is complete',
    },
    format: formatOption,
  },
  notes: 'The original can be downloaded as long as the server keeps it.',
  examples: [
    'pulsebus import 42 export.zip',
    'pulsebus import download 42 0199c0de-0000-7000-8000-000000000003 --output export.zip',
  ],
  async run(context) {
    if (context.args.length > 2) return download(context);
    const { args, client, signal, output, values } = context;
    const path = args[1] ?? '';
    const file = new File([await contentOf(path)], basename(path));
    const { id: user_id } = await findUser(client(), args[0] ?? '', signal);
    const password = await passwordIn(values.text('password-file'));
    const { id } = await client().fileImport.create({ user_id, file, ...password }, { signal });
    const which = { user_id, import_id: id };
    let made = await client().fileImport.get(which, { signal });
    while (made.finished_at === null) {
      await sleep(pauseMs, undefined, { signal });
      made = await client().fileImport.get(which, { signal });
      const percent = Math.floor((hundred * made.bytes_read) / Math.max(1, made.bytes));
      const members = made.members === null ? '' : `, ${made.members.done} of ${made.members.total} members`;
      output.note(`${made.state}: ${percent} %, ${made.items} entries${members}`);
    }
    const rows = Object.entries(made.counts).map(([type, items]) => ({ type, items }));
    printRows(context, rows, [made]);
    for (const { type, reason, items, positions } of made.skipped)
      output.note(`${items} × ${type}: ${reason}${placesOf(made.kind, items, positions)}`);
    for (const { name, state, reason } of made.member_reports)
      if (state === 'damaged') output.note(`${name}: ${reason}`);
    if (made.members !== null)
      output.note(`${made.members.damaged} members are damaged, ${made.members.unread} are of other kinds`);
    if (made.state === 'failed') throw new Failure(made.error ?? 'The import failed.');
    output.note(`Import ${made.id}: ${made.state}`);
  },
};

async function download({ args, client, signal, output, values }: Context): Promise<void> {
  const [word, user = '', import_id = ''] = args;
  const file = values.text('output');
  if (word !== 'download') throw new UsageError(`usage: pulsebus import ${importFile.usage}`);
  if (file === undefined) throw new UsageError('--output names the file to write.');
  const { id: user_id } = await findUser(client(), user, signal);
  const { body } = await client().fileImport.original({ user_id, import_id }, { signal });
  const bytes = await writeWhole(file, async (write) => {
    let written = 0;
    for await (const chunk of chunksOf(body)) {
      await write(chunk);
      written += chunk.length;
    }
    return written;
  });
  output.note(`${file} is complete: ${bytes} bytes.`);
}

// A password among the arguments would stand in the history of the shell and in the list of processes.
async function passwordIn(path: string | undefined): Promise<{ readonly password?: string }> {
  if (path === undefined) return {};
  try {
    const [password = ''] = (await fs.promises.readFile(path, 'utf8')).split(/\r?\n/);
    return { password };
  } catch (cause) {
    throw new Failure(`${path} cannot be read.`, { cause });
  }
}

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
