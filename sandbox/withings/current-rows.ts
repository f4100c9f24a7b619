import type { Span } from '../day-simulation/plan.ts';
import { datesIn, simulatedDay } from '../simulation/days.ts';
import { type Row, type RowKind, rowsOf } from './rows.ts';
import type { WithingsAccount, WithingsWorld } from './state.ts';

const dayMs = 86_400_000;
/** Rows do not go back further. */
const keptMs = 400 * dayMs;

/** A row as an answer has it: with the changes of the user, and its time of modification in seconds. */
export interface CurrentRow extends Row {
  readonly modified: number;
}

/** The existing rows of a kind that start in a span, oldest first. */
export function rowsIn(
  world: WithingsWorld,
  account: WithingsAccount,
  kind: RowKind,
  span: Span,
): CurrentRow[] {
  const nowMs = world.clock.nowMs();
  const bounds = { startMs: Math.max(span.startMs, nowMs - keptMs), endMs: Math.min(span.endMs, nowMs) };
  const user = world.user(account.person);
  // A row of a date may start on the day before, such as a night.
  const dates = datesIn(user, { startMs: bounds.startMs - dayMs, endMs: bounds.endMs + dayMs });
  return dates
    .flatMap((date) => rowsOf(simulatedDay(user, date), kind))
    .filter(({ startMs, availableMs }) => {
      return availableMs <= nowMs && startMs >= bounds.startMs && startMs < bounds.endMs;
    })
    .filter(({ id }) => !account.deleted.includes(id))
    .map((row) => currentOf(account, row))
    .toSorted((a, b) => a.startMs - b.startMs);
}

/** The rows of a kind that were modified at or after a time, the earliest modification first. */
export function rowsSince(
  world: WithingsWorld,
  account: WithingsAccount,
  kind: RowKind,
  since: number,
): CurrentRow[] {
  const nowMs = world.clock.nowMs();
  const oldestMs = Math.min(since * 1000, oldestArrivalMs(account, since), oldestChangeMs(account, nowMs));
  return rowsIn(world, account, kind, { startMs: oldestMs - 3 * dayMs, endMs: nowMs })
    .filter(({ modified }) => modified >= since)
    .toSorted((a, b) => a.modified - b.modified);
}

function oldestArrivalMs({ arrivals }: WithingsAccount, since: number): number {
  const index = arrivals.findIndex(({ modified }) => modified >= since);
  return index <= 0 ? Number.POSITIVE_INFINITY : (arrivals[index - 1]?.until_ms ?? 0);
}

// A changed row may be of any time.
function oldestChangeMs({ changed }: WithingsAccount, nowMs: number): number {
  return Object.keys(changed).length === 0 ? Number.POSITIVE_INFINITY : nowMs - 40 * dayMs;
}

// A row that was changed is confirmed: it is no longer of a perhaps different user.
function currentOf({ arrivals, changed }: WithingsAccount, row: Row): CurrentRow {
  const arrived = arrivals.find(({ until_ms }) => row.availableMs <= until_ms);
  const isLive = arrived !== undefined && arrived !== arrivals[0];
  const modified = changed[row.id] ?? (isLive ? arrived.modified : Math.floor(row.availableMs / 1000));
  const isConfirmed = changed[row.id] !== undefined && 'attrib' in row.fields && 'measures' in row.fields;
  return { ...row, modified, fields: isConfirmed ? { ...row.fields, attrib: 7 } : row.fields };
}
