import type { OtherEventType } from '../../../../domain/wire.ts';
import type { EventRow, EventTable } from '../../queries/select-events.ts';

/** A stored event that is neither a workout nor a sleep. */
export interface OtherRow extends EventRow {
  type: OtherEventType;
  data: Record<string, unknown>;
}

/** Events that are neither workouts nor sleep. */
export const otherTable: EventTable = {
  name: 'others',
  table: 'timeseries.other_record',
  columns: 'type, data',
};
