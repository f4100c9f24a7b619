import type { Destination } from '../../../contracts/destinations/schemas.ts';
import { isTargetErrorCode, targetErrors } from '../../../domain/destinations/target-errors.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import type { ShownRow } from '../queries/destinations.ts';

/** With more changes behind a destination catches up. */
const mostBehind = 1000;

/** A destination as it is shown, without its secrets. */
export function toDestination(row: ShownRow): Destination {
  const { id, kind, description, settings, types, paused_reason, lag_seconds, changes_behind } = row;
  return {
    ...{ id, kind, description, settings, types, paused_reason, lag_seconds, changes_behind },
    from: row.from_beginning ? 'beginning' : 'now',
    state: stateOf(row),
    snapshot_complete: row.snapshot === null,
    failing_since: timeOf(row.failing_since),
    last_error: errorOf(row),
    rows_written: Number(row.rows_written),
    last_commit_at: timeOf(row.last_commit_at),
    erasures_open: row.erasures_open,
    api_key_id: row.api_key_id,
    created_at: formatInstant(row.created_at.getTime()),
    updated_at: formatInstant(row.updated_at.getTime()),
  };
}

function stateOf({ paused, failing_since, snapshot, changes_behind }: ShownRow): Destination['state'] {
  if (paused) return 'paused';
  if (failing_since !== null) return 'failing';
  return snapshot !== null || changes_behind > mostBehind ? 'catching_up' : 'running';
}

function errorOf({ last_error: code, last_error_at: at }: ShownRow): Destination['last_error'] {
  if (code === null || at === null) return null;
  const message = isTargetErrorCode(code) ? targetErrors[code] : targetErrors.failed;
  return { code, message, at: formatInstant(at.getTime()) };
}

const timeOf = (at: Date | null) => (at === null ? null : formatInstant(at.getTime()));
