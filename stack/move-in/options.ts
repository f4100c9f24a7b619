import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { UserId } from '../../domain/wire.ts';
import { folderError, StartError } from '../machine/start-error.ts';

/** The options of `npm run move-in`. */
export interface MoveInOptions {
  readonly address: string;
  /** Replaces the password of the address. */
  readonly password: string | undefined;
  readonly isDryRun: boolean;
  readonly since: Date | null;
  /** Null: all users. */
  readonly userIds: readonly string[] | null;
  readonly projectId: string;
  /** The folder of the report and of the state. Null: `move-in` in DATA_DIR. */
  readonly folder: string | null;
  readonly isInternalScores: boolean;
  /** How many users are moved at a time. */
  readonly parallel: number;
}

/** Limits of the memory of the process: without them Node keeps hundreds of megabytes of what it no longer needs. */
export const nodeFlags: readonly string[] = ['--max-semi-space-size=8', '--max-old-space-size=192'];

/** The arguments are wrong; the message is a sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What `--help` prints. */
export const usage = `usage: npm run move-in -- postgres://USER@HOST:PORT/NAME [options]

Moves the users, keys, connections and health data of an installation of Open Wearables in. Its database is read only. The services of
Pulsebus must run. The run can be stopped and repeated at any time: nothing is moved twice.

  --dry-run             counts everything, writes the report and nothing else
  --since DATE          only health data of this day (UTC) and later
  --users ID,ID         only these users, with their connections and the tokens of their apps
  --project NAME        the project that they become part of (default: default)
  --report FOLDER       where the report and the state of the run are written (default: move-in in DATA_DIR)
  --internal-scores     also the scores that Open Wearables computed itself
  --parallel N          how many users are moved at a time, 1 to 8 (default 3)
  --password-file FILE  reads the password of the database from a file; PGPASSWORD has it as well
  --help                prints this

examples:
  PGPASSWORD=… npm run move-in -- postgres://reader@db.example:5432/open-wearables --dry-run
  npm run move-in -- postgres://reader@db.example:5432/open-wearables --password-file ./password --report ./report`;

const usualParallel = 3;
const mostParallel = 8;

/** Reads the arguments; null if `--help` was asked for. @throws UsageError, StartError */
export function moveInOptions(args: readonly string[]): MoveInOptions | null {
  const { values, positionals } = parsed(args);
  if (values.help === true) return null;
  const [address, ...rest] = positionals;
  if (address === undefined || rest.length > 0)
    throw new UsageError('Name one database: npm run move-in -- postgres://USER@HOST:PORT/NAME');
  const file = values['password-file'];
  return {
    address,
    password: file === undefined ? process.env.PGPASSWORD : readPassword(file),
    isDryRun: values['dry-run'] === true,
    since: values.since === undefined ? null : dayOf(values.since),
    userIds: values.users === undefined ? null : idsOf(values.users),
    projectId: values.project ?? 'default',
    folder: values.report ?? null,
    isInternalScores: values['internal-scores'] === true,
    parallel: values.parallel === undefined ? usualParallel : parallelOf(values.parallel),
  };
}

/** The options that decide what is moved, as the state of a run names them. */
export function choiceOf({ since, userIds, projectId, isInternalScores }: MoveInOptions): string {
  const parts = [
    `--project ${projectId}`,
    ...(since === null ? [] : [`--since ${since.toISOString().slice(0, 10)}`]),
    ...(userIds === null ? [] : [`--users ${userIds.toSorted().join(',')}`]),
    ...(isInternalScores ? ['--internal-scores'] : []),
  ];
  return parts.join(' ');
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        'dry-run': { type: 'boolean' },
        since: { type: 'string' },
        users: { type: 'string' },
        project: { type: 'string' },
        report: { type: 'string' },
        'internal-scores': { type: 'boolean' },
        parallel: { type: 'string' },
        'password-file': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    const [sentence = ''] = error instanceof Error ? error.message.split('. ') : [];
    throw new UsageError(`${sentence}. \`npm run move-in -- --help\` lists the options.`);
  }
}

function readPassword(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw (
      folderError(error, '--password-file', file) ??
      new StartError(`--password-file: ${file} cannot be read.`)
    );
  }
}

const Day = z.iso.date();

function dayOf(text: string): Date {
  const day = Day.safeParse(text);
  if (!day.success) throw new UsageError('--since must be a date, such as 2026-01-31.');
  return new Date(`${day.data}T00:00:00Z`);
}

function idsOf(text: string): string[] {
  const ids = z
    .array(UserId)
    .min(1)
    .safeParse(
      text
        .split(',')
        .map((id) => id.trim())
        .filter((id) => id !== ''),
    );
  if (!ids.success) throw new UsageError('--users must be ids of users, with commas between them.');
  return [...new Set(ids.data)];
}

function parallelOf(text: string): number {
  const parallel = z.coerce.number().int().min(1).max(mostParallel).safeParse(text);
  if (!parallel.success) throw new UsageError(`--parallel must be a whole number from 1 to ${mostParallel}.`);
  return parallel.data;
}
