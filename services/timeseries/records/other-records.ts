import type { OtherEvent } from '../../../contracts/timeseries/schemas.ts';
import { formatInstant, formatOffset } from '../../../domain/time/time.ts';
import type { Settings } from '../settings.ts';
import type { EventKind } from './events.ts';
import { type OtherRow, otherTable } from './queries/select-others.ts';

/** Events other than workouts and sleep. */
export function otherEvents(settings: Settings): EventKind<OtherRow, OtherEvent> {
  return { table: otherTable, toWire: (row) => otherToWire(row, settings) };
}

/** The wire form of such an event. `data` is as its normaliser made it. */
export function otherToWire(row: OtherRow, { shownAs }: Settings): OtherEvent {
  return {
    id: row.id,
    type: row.type,
    start_time: formatInstant(row.start_ms),
    end_time: formatInstant(row.end_ms),
    source: { provider: shownAs(row.provider), device: row.device },
    data: row.data,
    zone_offset: formatOffset(row.zone_offset_minutes),
  };
}
