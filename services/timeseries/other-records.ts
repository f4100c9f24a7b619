import type { OtherEvent } from '../../contracts/timeseries.ts';
import { formatInstant } from '../../domain/time.ts';
import type { OtherEventType } from '../../domain/wire.ts';
import type { EventKind } from './events.ts';
import { countOthers, type OtherRow, selectOthers } from './queries/select-others.ts';
import type { Settings } from './settings.ts';

/** The events that are neither workouts nor sleep, of one type or of all: a list of its own each. */
export function otherEvents(
  settings: Settings,
  type: OtherEventType | undefined,
): EventKind<OtherRow, OtherEvent> {
  const wanted = type ?? null;
  return {
    name: `other-${wanted ?? 'all'}`,
    select: (on, filter, place, most) => selectOthers(on, wanted, filter, place, most),
    count: (on, filter) => countOthers(on, wanted, filter),
    toWire: (row) => otherToWire(row, settings),
  };
}

/** Such an event as the API shows it; `data` as it was sent, without the account's id. */
export function otherToWire(row: OtherRow, { shownAs }: Settings): OtherEvent {
  return {
    id: row.id,
    type: row.type,
    start_time: formatInstant(row.start_ms),
    end_time: formatInstant(row.end_ms),
    source: { provider: shownAs(row.provider), device: row.device },
    data: row.data,
  };
}
