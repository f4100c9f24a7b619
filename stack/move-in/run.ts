import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { isError } from '../../domain/errors.ts';
import type { Call } from '../../runtime/environment.ts';
import { StartError } from '../machine/start-error.ts';
import { moveAccounts } from './accounts.ts';
import { compare } from './comparison.ts';
import { Ledger } from './ledger.ts';
import { countOrphans, countReported, readProposals } from './leftovers.ts';
import { choiceOf, type MoveInOptions } from './options.ts';
import { isErased, patientCall } from './owners.ts';
import { type Lines, progressLines } from './progress-lines.ts';
import { type MoveInResult, reportPage } from './report-page.ts';
import { RowBudget } from './row-budget.ts';
import { SeriesDefinition } from './rules/rows.ts';
import { openSource, type Source } from './source.ts';
import { RunFolder } from './state.ts';
import { type DataMove, moveUserData, type SampleCounts } from './user-data.ts';

/** What a run works with. */
export interface MoveInDeps {
  /** Calls the services as `system:move-in`. Null in a dry run. */
  readonly call: Call | null;
  readonly folder: string;
  readonly lines: Lines;
  /** Ends the run after the calls in flight. */
  readonly signal: AbortSignal;
  /** How long a service may be away before the run ends. */
  readonly patienceMs?: number;
}

// A row takes about half a kilobyte while it is read and mapped.
const rowsInMemory = 120_000;

/** Moves a source in, and compares both sides. @throws StartError with a sentence; what was moved stays */
export async function moveIn(options: MoveInOptions, deps: MoveInDeps): Promise<MoveInResult> {
  const folder = new RunFolder(deps.folder);
  try {
    const source = await openSource(options.address, {
      password: options.password,
      connections: options.parallel + 1,
    });
    try {
      return await run(options, deps, source, folder);
    } finally {
      await source.close();
    }
  } finally {
    folder.close();
  }
}

async function run(
  options: MoveInOptions,
  deps: MoveInDeps,
  source: Source,
  folder: RunFolder,
): Promise<MoveInResult> {
  const startedAt = new Date().toISOString();
  const choice = choiceOf(options);
  const stop = new AbortController();
  const signal = AbortSignal.any([deps.signal, stop.signal]);
  const call = deps.call === null ? null : patientCall(deps.call, signal, deps.patienceMs);
  if (call !== null) await checkProject(call, options.projectId);
  const isDryRun = call === null;
  const done = isDryRun
    ? folder.beginDry()
    : folder.begin({ source: source.fingerprint, options: choice, startedAt });
  const say = (line: string) => deps.lines.write(`${line}\n`);
  say('Users, credentials and connections');
  const accounts = new Ledger();
  const users = await moveAccounts({ ...options, source, call, ledger: accounts, signal });
  checkChosen(options, accounts);
  const total = new Ledger();
  const samples = new Map<string, SampleCounts>();
  for (const id of users.ids) {
    const user = done.get(id);
    if (user === undefined) continue;
    total.add(user.counts);
    samples.set(id, user.samples);
  }
  const open = users.ids.filter((id) => !done.has(id));
  say(`Health data of ${open.length} users${done.size === 0 ? '' : `; ${done.size} are done`}`);
  const extent = { users: open.length, samples: await aboutSamples(source, options) };
  const progress = progressLines(extent, deps.lines);
  try {
    const move: DataMove = {
      ...{ source, call, signal, since: options.since, isInternalScores: options.isInternalScores },
      definitions: await readDefinitions(source),
      wasMoved: (userId) => users.known.has(userId),
      nowMs: Date.now(),
      budget: new RowBudget(rowsInMemory),
      onSamples: (rows) => progress.samples(rows),
    };
    await inParallel(open, options.parallel, stop, async (userId) => {
      const { ledger, counts } = await moveUser(move, userId);
      folder.userDone({ user_id: userId, counts: ledger.counts, samples: counts }, ledger.lines);
      total.add(ledger.counts);
      samples.set(userId, counts);
      progress.user();
    });
  } finally {
    progress.stop();
  }
  say('Rows that are left');
  const proposals = await source.reading(async (reader) => {
    if (options.userIds === null) {
      await countReported(source, reader, accounts);
      await countOrphans(source, reader, accounts, { movedUsers: users.ids, since: options.since });
    }
    return readProposals(source, reader);
  });
  if (call !== null) say('Comparison of both sides');
  const comparison =
    call === null
      ? null
      : await compare({
          source,
          call,
          samples,
          signal,
          since: options.since,
          definitions: await readDefinitions(source),
        });
  folder.commonLines(accounts.lines);
  total.add(accounts.counts);
  const endedAt = new Date().toISOString();
  const result: MoveInResult = {
    ...{ title: source.title, isDryRun, options: choice, startedAt, endedAt },
    ...{ ledger: total, proposals, comparison, page: folder.path(isDryRun ? 'dry-run.md' : 'report.md') },
  };
  writeFileSync(result.page, reportPage(result), { mode: 0o600 });
  folder.end(endedAt);
  return result;
}

function checkChosen({ userIds }: MoveInOptions, { counts }: Ledger): void {
  const read = counts.user?.read ?? 0;
  if (userIds !== null && read < userIds.length)
    throw new StartError(`--users: the source has ${read} of these ${userIds.length} users.`);
}

async function checkProject(call: Call, project_id: string): Promise<void> {
  try {
    await call('auth.getProject', { project_id });
  } catch (error) {
    if (isError(error, 'PROJECT_NOT_FOUND') || isError(error, 'VALIDATION_FAILED'))
      throw new StartError(`--project: there is no project ${project_id}.`);
    throw error;
  }
}

interface UserResult {
  readonly ledger: Ledger;
  readonly counts: SampleCounts;
}

/** Moves a user's data. Of a user who is deleted here meanwhile, all rows are counted as left. */
async function moveUser(move: DataMove, userId: string): Promise<UserResult> {
  const ledger = new Ledger();
  try {
    return { ledger, counts: await moveUserData(move, userId, ledger) };
  } catch (error) {
    if (!isErased(error)) throw error;
    const counted = new Ledger();
    await moveUserData({ ...move, call: null, onSamples: () => undefined }, userId, counted);
    return { ledger: counted.allLeft('the user was deleted here', userId), counts: {} };
  }
}

/** Works on a few at a time. The first failure ends the others. */
async function inParallel<T>(
  all: readonly T[],
  parallel: number,
  stop: AbortController,
  work: (one: T) => Promise<void>,
): Promise<void> {
  const queue = all.values();
  const failures: unknown[] = [];
  const worker = async () => {
    for (const one of queue) {
      if (stop.signal.aborted) return;
      try {
        await work(one);
      } catch (error) {
        failures.push(error);
        stop.abort();
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  if (failures.length > 0) throw failures[0];
}

async function readDefinitions(source: Source): Promise<ReadonlyMap<number, SeriesDefinition>> {
  const rows = await source.reading((reader) =>
    reader.rows('select id, code, unit from series_type_definition'),
  );
  return new Map(
    z
      .array(SeriesDefinition)
      .parse(rows)
      .map((row) => [row.id, row]),
  );
}

/** The planner's estimate of all samples; null if a part of them is read. */
async function aboutSamples(source: Source, { since, userIds }: MoveInOptions): Promise<number | null> {
  if (since !== null || userIds !== null) return null;
  const [row] = await source.reading((reader) =>
    reader.rows<{ n: number }>(
      `select reltuples::float8 as n from pg_class where oid = 'public.data_point_series'::regclass`,
    ),
  );
  return row === undefined || row.n <= 0 ? null : row.n;
}
