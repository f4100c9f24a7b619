import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../../domain/errors.ts';
import { dayMs, isoTime, localDate } from '../../../domain/time/time.ts';
import type { Call } from '../../../runtime/environment.ts';
import { regularKinds } from '../../../services/freshness/rules/expectations.ts';
import { gapOutcomeHandler, gapRequestHandler, lookForGaps } from '../../../services/freshness/work/gaps.ts';
import type { TestDatabase } from '../../support/servers/database.ts';
import { simulatedStart } from './simulation.ts';

/** Noon of a day. */
export const noon = simulatedStart + 60.5 * dayMs;
/** The local date some days before it. */
export const dateBefore = (days: number) => localDate(noon - days * dayMs, 0);
const readBack = 28;

/** Days with data by kind, a character a day. The last one is today. */
export type Calendar = Readonly<Record<string, string>>;

/** Connections of the device maker, and the services that freshness calls. */
export class GapWorld {
  readonly database: TestDatabase;
  readonly requested: { readonly id: string; readonly types: readonly string[] }[] = [];
  readonly calendars = new Map<string, Calendar>();
  readonly scopes = new Map<string, readonly string[]>();
  /** The failure of a request. */
  failure: Error | null = null;
  /** Awaited by each request, and by each read of days. */
  beforeRequest: () => Promise<void> = async () => undefined;
  beforeDays: () => Promise<void> = async () => undefined;

  constructor(database: TestDatabase) {
    this.database = database;
  }

  async reset(): Promise<void> {
    for (const table of ['freshness.connection', 'freshness.incident', 'jobs.job', 'auth.audit_entry'])
      await this.database.query(`delete from ${table}`);
    this.requested.length = 0;
    this.failure = null;
    this.beforeDays = async () => undefined;
    this.beforeRequest = async () => undefined;
  }

  /** A connection that is due. */
  async connect(
    calendar: Calendar,
    asked: Readonly<Record<string, readonly string[]>> = {},
  ): Promise<string> {
    const [id, user] = [randomUUID(), randomUUID()];
    this.calendars.set(user, calendar);
    await this.database.query(
      `insert into freshness.connection (connection_id, user_id, project_id, provider, connected_at, gaps_at)
       values ($1, $2, 'default', 'devicemaker', $3, $4)`,
      [id, user, isoTime(simulatedStart), isoTime(noon - 1000)],
    );
    for (const kind of regularKinds('devicemaker'))
      await this.database.query(
        `insert into freshness.arrival (connection_id, kind, user_id, project_id, provider, gaps_asked)
         values ($1, $2, $3, 'default', 'devicemaker', $4)`,
        [id, kind, user, asked[kind] ?? []],
      );
    return id;
  }

  async userOf(id: string): Promise<string> {
    const [row] = await this.database.query<{ user_id: string }>(
      'select user_id from freshness.connection where connection_id = $1',
      [id],
    );
    return row?.user_id ?? '';
  }

  /** Looks for gaps at noon, or some days later. */
  look(days = 0): Promise<boolean> {
    return lookForGaps({ database: this.database, call: this.call }, noon + days * dayMs);
  }

  /** The requests that wait: their kinds with their dates, by connection. */
  async waiting(): Promise<Record<string, unknown>> {
    const rows = await this.database.query<{ key: string; gaps: { kind: string; days: string[] }[] }>(
      "select key, payload -> 'gaps' as gaps from jobs.job where kind = 'freshness.gap_request' and dead_at is null",
    );
    return Object.fromEntries(
      rows.map(({ key, gaps }) => [key, Object.fromEntries(gaps.map(({ kind, days }) => [kind, days]))]),
    );
  }

  /** Works on the jobs of a kind as the worker does, up to the end of the attempt, which is stored unless the process was killed. */
  async work(kind: 'gap_request' | 'gap_outcome', { isKilled = false, failures = 0, days = 0 } = {}) {
    const own = { database: this.database, call: this.call, now: () => noon + days * dayMs };
    const handler = kind === 'gap_request' ? gapRequestHandler(own) : gapOutcomeHandler(own);
    const jobs = await this.database.query<{
      key: string;
      payload: unknown;
      version: number;
      attempt: number;
      cancelled: boolean;
    }>(
      `update jobs.job set leased = true, attempt = attempt + 1 where kind = $1
       returning key, payload, version, attempt, cancelled`,
      [`freshness.${kind}`],
    );
    const outcomes: string[] = [];
    const held = { signal: new AbortController().signal, holds: async () => true };
    for (const job of jobs) {
      const row = { ...job, kind: `freshness.${kind}`, failures, crashes: 0, created_at: new Date() };
      const outcome = job.cancelled ? ({ kind: 'done' } as const) : await handler.work(row, held);
      outcomes.push(outcome.kind);
      if (!isKilled && outcome.kind === 'done')
        await this.database.query('delete from jobs.job where kind = $1 and key = $2', [row.kind, job.key]);
    }
    return outcomes;
  }

  /** The entries of repairs: start, or the outcome. */
  async entries(): Promise<string[]> {
    const rows = await this.database.query<{ outcome: string | null }>(
      `select details ->> 'outcome' as outcome from auth.audit_entry
       where action like 'connection.repair_%' order by at, id`,
    );
    return rows.map(({ outcome }) => outcome ?? 'started');
  }

  readonly call: Call = (async (name: string, params: Record<string, unknown>) => {
    if (name === 'timeseries.kindDays') return this.#days(params);
    if (name === 'users.connection')
      return { status: 'active', scope: this.scopes.get(String(params.user_id)) ?? [] };
    if (name !== 'backfill.request') throw new Error(`${name} is not played`);
    await this.beforeRequest();
    if (this.failure !== null) throw this.failure;
    return this.#request(params);
  }) as never;

  async #days({ user_ids, first_date }: Record<string, unknown>) {
    await this.beforeDays();
    const shift = Math.round((Date.parse(String(first_date)) - Date.parse(dateBefore(readBack))) / dayMs);
    const users = Array.isArray(user_ids) ? user_ids.map(String) : [];
    return {
      data: users.flatMap((user_id) =>
        Object.entries(this.calendars.get(user_id) ?? {}).map(([kind, days]) => ({
          ...{ user_id, kind },
          days: [...days].flatMap((day, index) =>
            day === '1' ? [readBack - days.length + 1 + index - shift] : [],
          ),
        })),
      ),
    };
  }

  #request({ id, requests }: Record<string, unknown>) {
    const types = Array.isArray(requests) ? requests.map((one) => `${one.type}`) : [];
    if (!this.requested.some((one) => one.id === id)) this.requested.push({ id: String(id), types });
    return { requests: types.length };
  }
}

/** The failure of a service that is away. */
export const away = new ServiceError('SERVICE_UNAVAILABLE');
