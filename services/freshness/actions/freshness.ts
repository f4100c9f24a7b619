import { z } from 'zod';
import type { ConnectionFreshness, FreshnessRow, freshness, Incident } from '../../../contracts/freshness.ts';
import type { CalendarKind } from '../../../contracts/timeseries/calendar.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { decodeCursor, encodeCursor } from '../../../domain/cursor.ts';
import { cursorInvalid } from '../../../domain/errors.ts';
import { gapsOf } from '../../../domain/freshness/gaps.ts';
import { incidentReasons } from '../../../domain/freshness/incident.ts';
import { FreshKind, kindOfChange } from '../../../domain/freshness/shared-kinds.ts';
import { freshnessStates, worstOf } from '../../../domain/freshness/state.ts';
import { dateToMs, dayMs, formatInstant, instantOrNull, localDate } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { isProviderName, type ProviderName } from '../../../providers/all.ts';
import type { Call } from '../../../runtime/environment.ts';
import { regularKinds, repairMeans } from '../rules/expectations.ts';
import {
  type ArrivalOfUser,
  type ListKey,
  type ShownArrival,
  selectInState,
  selectOfUser,
} from '../tables/arrivals.ts';
import { selectIncidents, selectOpenIncidents } from '../tables/incidents.ts';

const State = z.enum(freshnessStates);
const gapDays = 28;

/** The freshness of all connections of a user. @throws USER_NOT_FOUND (404) */
export async function showUser(
  { database, call }: { readonly database: Queryable; readonly call: Call },
  user_id: string,
  nowMs: number,
) {
  const rows = await selectOfUser(database, user_id);
  if (rows.length === 0) await call('users.get', { user_id });
  const incidents = new Set((await selectOpenIncidents(database)).map(({ provider }) => provider));
  const days = rows.length === 0 ? new Map() : await daysOf(call, user_id, nowMs);
  const data = [...Map.groupBy(rows, ({ connection_id }) => connection_id).values()].flatMap((own) =>
    connectionToWire(own, { incidents, days }),
  );
  return { data };
}

type Days = ReadonlyMap<ProviderName, ReadonlyMap<FreshKind, ReadonlySet<number>>>;

function connectionToWire(
  rows: readonly ArrivalOfUser[],
  { incidents, days }: { readonly incidents: ReadonlySet<string>; readonly days: Days },
): ConnectionFreshness[] {
  const [first] = rows;
  if (first === undefined || !isProviderName(first.provider)) return [];
  const { connection_id, provider, stale_since, ended_at } = first;
  const state = worstOf(rows.map((row) => State.parse(row.state)));
  const gaps = gapsOf(days.get(provider) ?? new Map(), regularKinds(provider));
  return [
    {
      connection_id,
      provider,
      state,
      stale_since: instantOrNull(stale_since),
      action: actionOf(provider, state, ended_at),
      incident: incidents.has(provider),
      data_types: rows.map(toWire),
      gaps: gaps.map(({ kind, firstMs, lastMs }) => ({
        data_type: kind,
        first_date: localDate(firstMs, 0),
        last_date: localDate(lastMs, 0),
      })),
    },
  ];
}

function actionOf(
  provider: ProviderName,
  state: string,
  endedAt: Date | null,
): ConnectionFreshness['action'] {
  if (endedAt !== null) return 'reconnect';
  const isMissing = state === 'late' || state === 'stale';
  return isMissing && repairMeans(provider) === null ? 'open_app' : null;
}

function toWire(row: ShownArrival): ConnectionFreshness['data_types'][number] {
  return {
    data_type: FreshKind.parse(row.kind),
    state: State.parse(row.state),
    repairs: row.repairs,
    since: formatInstant(row.since.getTime()),
    last_arrival_at: instantOrNull(row.last_at),
    last_data_at: instantOrNull(row.last_data_at),
    expected_within_seconds: row.expected_ms === null ? null : Math.round(row.expected_ms / 1000),
    repaired_at: instantOrNull(row.repaired_at),
  };
}

// Local days with data, as UTC midnights.
async function daysOf(call: Call, user_id: string, nowMs: number): Promise<Days> {
  const { data } = await call('timeseries.calendar', {
    user_id,
    start_date: localDate(nowMs - gapDays * dayMs, 0),
    end_date: localDate(nowMs + dayMs, 0),
  });
  const days = new Map<ProviderName, Map<FreshKind, Set<number>>>();
  for (const { kind, type, provider, first_date, levels } of data) {
    const freshKind = kindOfCalendar(kind, type);
    if (freshKind === null) continue;
    const byKind = days.get(provider) ?? new Map<FreshKind, Set<number>>();
    const daysOfKind = byKind.get(freshKind) ?? new Set<number>();
    for (const [index, level] of [...levels].entries())
      if (level !== '0') daysOfKind.add(dateToMs(first_date) + index * dayMs);
    days.set(provider, byKind.set(freshKind, daysOfKind));
  }
  return days;
}

function kindOfCalendar(kind: CalendarKind, type: string | null): FreshKind | null {
  if (kind === 'day') return 'daily_activity';
  return kindOfChange(kind === 'sample' ? 'timeseries.updated' : `${kind}.`, type);
}

type ListQuery = ParamsOf<typeof freshness, 'list'> & { readonly project: string };

const ListPosition = z.tuple([z.uuid(), FreshKind]);
const beginning: ListKey = ['00000000-0000-0000-0000-000000000000', ''];

/** A page of the kinds of data in a state. @throws CURSOR_INVALID (422) */
export async function showList(database: Queryable, { project, state, provider, limit, cursor }: ListQuery) {
  const query = ['freshness', project, state, provider ?? null];
  const rows = await selectInState(
    database,
    { project, state, provider: provider ?? null },
    cursor === undefined ? beginning : positionOf(cursor, query),
    limit + 1,
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const isCut = rows.length > limit && last !== undefined;
  return {
    data: page.flatMap((row): FreshnessRow[] => {
      const { user_id, connection_id, provider: name } = row;
      return isProviderName(name) ? [{ ...toWire(row), user_id, connection_id, provider: name }] : [];
    }),
    pagination: {
      next_cursor: isCut ? encodeCursor(query, 'next', [last.connection_id, last.kind]) : null,
      has_more: isCut,
    },
  };
}

function positionOf(cursor: string, query: unknown): ListKey {
  const { direction, key } = decodeCursor(cursor, query, ListPosition);
  if (direction !== 'next') throw cursorInvalid();
  return key;
}

/** The newest incidents of providers. */
export async function showIncidents(database: Queryable): Promise<{ data: Incident[] }> {
  const rows = await selectIncidents(database);
  return {
    data: rows.flatMap(({ id, provider, reason, started_at, ended_at }): Incident[] => {
      const incidentReason = incidentReasons.find((candidate) => candidate === reason);
      if (!isProviderName(provider) || incidentReason === undefined) return [];
      return [
        {
          id,
          provider,
          reason: incidentReason,
          started_at: formatInstant(started_at.getTime()),
          ended_at: instantOrNull(ended_at),
        },
      ];
    }),
  };
}
