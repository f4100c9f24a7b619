import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { takeLock } from '../machine/lock.ts';
import { folderError, StartError } from '../machine/start-error.ts';
import { Counts, type Line } from './ledger.ts';

// The folder of a run: state.ndjson names the users that are done, left-out.ndjson has the lines of the report. A user's lines are
// written before the user is done, and those of a user who was not done are cut off when the run goes on.

const Begin = z.object({
  kind: z.literal('begin'),
  source: z.string(),
  options: z.string(),
  started_at: z.string(),
});
const UserDone = z.object({
  kind: z.literal('user'),
  user_id: z.string(),
  counts: Counts,
  /** Samples of the user here, by series type, as they should be. */
  samples: z.record(z.string(), z.int()),
  report_bytes: z.int(),
});
export type UserDone = z.infer<typeof UserDone>;
const End = z.object({ kind: z.literal('end'), ended_at: z.string() });
const Entry = z.discriminatedUnion('kind', [Begin, UserDone, End]);
type Entry = z.infer<typeof Entry>;

/** What a run is about. Another source, or other options, do not go on with it. */
export interface RunIdentity {
  readonly source: string;
  readonly options: string;
  readonly startedAt: string;
}

/** The files of a run. Only one process has them. */
export class RunFolder {
  readonly #folder: string;
  #state = -1;
  #lines = -1;
  #bytes = 0;

  /** Takes the folder. @throws StartError if another run has it, or it cannot be written */
  constructor(folder: string) {
    this.#folder = folder;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const holder = takeLock(this.path('lock'));
      if (holder !== null)
        throw new StartError(`Another run (process ${holder.pid}) writes to ${folder}: wait for its end.`);
    } catch (error) {
      throw folderError(error, '--report', folder) ?? error;
    }
  }

  path(name: 'lock' | 'state.ndjson' | 'left-out.ndjson' | 'report.md' | 'dry-run.md' | 'dry-run.ndjson') {
    return join(this.#folder, name);
  }

  /** Goes on with the run that stopped here, or begins a new one. Returns the users that are done. */
  begin(identity: RunIdentity): ReadonlyMap<string, UserDone> {
    const entries = this.#readState();
    const [first] = entries;
    const begun = first?.kind === 'begin' ? first : null;
    if (begun !== null && begun.source !== identity.source)
      throw new StartError(
        `${this.#folder} belongs to the move from another database: name another folder with --report.`,
      );
    const isOpen = begun !== null && entries.at(-1)?.kind !== 'end';
    if (isOpen && begun.options !== identity.options)
      throw new StartError(
        `The run in ${this.#folder} was stopped and had other options (${begun.options}): repeat it with these, or name another folder with --report.`,
      );
    const done = isOpen ? entries.filter((entry) => entry.kind === 'user') : [];
    if (!isOpen) this.#startAnew(identity);
    this.#open(done.at(-1)?.report_bytes ?? 0);
    return new Map(done.map((entry) => [entry.user_id, entry]));
  }

  /** Begins a dry run: its lines are written, and no state. */
  beginDry(): ReadonlyMap<string, UserDone> {
    this.#lines = openSync(this.path('dry-run.ndjson'), 'w', 0o600);
    return new Map();
  }

  /** Writes the lines of a user, and then that the user is done. */
  userDone(entry: Omit<UserDone, 'kind' | 'report_bytes'>, lines: readonly Line[]): void {
    this.#writeLines(lines);
    this.#append({ kind: 'user', ...entry, report_bytes: this.#bytes });
  }

  /** Writes the lines that belong to no user, at the end of a run. They are cut off if it goes on. */
  commonLines(lines: readonly Line[]): void {
    this.#writeLines(lines);
  }

  end(endedAt: string): void {
    this.#append({ kind: 'end', ended_at: endedAt });
  }

  close(): void {
    for (const file of [this.#state, this.#lines]) if (file >= 0) closeSync(file);
    [this.#state, this.#lines] = [-1, -1];
    rmSync(this.path('lock'), { force: true });
  }

  #readState(): Entry[] {
    const file = this.path('state.ndjson');
    if (!existsSync(file)) return [];
    const text = readFileSync(file, 'utf8');
    // A line without its end was being written when the process was killed.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole.length < text.length) truncateSync(file, Buffer.byteLength(whole));
    return whole
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => entryOf(line, file));
  }

  #startAnew({ source, options, startedAt }: RunIdentity): void {
    const fresh = `${this.path('state.ndjson')}.new`;
    rmSync(fresh, { force: true });
    const file = openSync(fresh, 'a', 0o600);
    const begin: Entry = { kind: 'begin', source, options, started_at: startedAt };
    writeSync(file, `${JSON.stringify(begin)}\n`);
    fsyncSync(file);
    closeSync(file);
    renameSync(fresh, this.path('state.ndjson'));
  }

  #open(bytes: number): void {
    this.#state = openSync(this.path('state.ndjson'), 'a', 0o600);
    this.#lines = openSync(this.path('left-out.ndjson'), 'a', 0o600);
    truncateSync(this.path('left-out.ndjson'), bytes);
    this.#bytes = bytes;
  }

  #writeLines(lines: readonly Line[]): void {
    if (lines.length === 0) return;
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    this.#write(this.#lines, text);
    this.#bytes += Buffer.byteLength(text);
  }

  #append(entry: Entry): void {
    if (this.#state < 0) return;
    this.#write(this.#state, `${JSON.stringify(entry)}\n`);
  }

  #write(file: number, text: string): void {
    try {
      appendFileSync(file, text);
      fsyncSync(file);
    } catch (error) {
      throw folderError(error, '--report', this.#folder) ?? error;
    }
  }
}

function entryOf(line: string, file: string): Entry {
  try {
    return Entry.parse(JSON.parse(line));
  } catch (error) {
    throw new StartError(
      `${file} cannot be read: remove it, and the run begins anew. Nothing is moved twice.`,
      { cause: error },
    );
  }
}
