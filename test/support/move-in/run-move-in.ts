import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { type Call, callAs } from '../../../runtime/environment.ts';
import { moveInOptions } from '../../../stack/move-in/options.ts';
import type { MoveInResult } from '../../../stack/move-in/report-page.ts';
import { moveIn } from '../../../stack/move-in/run.ts';
import type { TestApi } from '../api.ts';
import type { SourceDatabase } from './source-database.ts';

/** A run within the process of the test. */
export interface TestRun {
  readonly api: TestApi;
  readonly source: Pick<SourceDatabase, 'url'>;
  readonly folder: string;
  readonly args?: readonly string[];
  /** Calls in place of those of the services. */
  readonly call?: Call;
  readonly signal?: AbortSignal;
  /** How long services may be away; default: not at all. */
  readonly patienceMs?: number;
}

/** Moves a source in, with services that are not waited for. */
export async function runMoveIn({
  api,
  source,
  folder,
  args = [],
  call,
  signal,
  patienceMs = 0,
}: TestRun): Promise<MoveInResult> {
  const options = moveInOptions([source.url, '--report', folder, ...args]);
  if (options === null) throw new Error('the arguments ask for help');
  return moveIn(options, {
    call: options.isDryRun ? null : callAs(call ?? api.call, 'system:move-in'),
    folder,
    lines: { isTerminal: false, write: () => undefined },
    signal: signal ?? new AbortController().signal,
    patienceMs,
  });
}

/** A folder for the report of a run, which is removed with the test. */
export function reportFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'pulsebus-move-in-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Parameters of a call. */
export type Params = Readonly<Record<string, unknown>>;

/** The services, with something before each call. */
export function callBefore(api: TestApi, before: (name: string, params: Params) => void): Call {
  const call: (name: string, params: Params, options?: object) => Promise<unknown> = api.call as never;
  const wrapped = async (name: string, params: Params, options?: object) => {
    before(name, params);
    return call(name, params, options);
  };
  return wrapped as never;
}
