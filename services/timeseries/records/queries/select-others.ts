import type { OtherEventType } from '../../../../domain/wire.ts';
import type { EventRow, EventTable } from '../../queries/select-events.ts';

/** A stored event other than a workout or sleep. */
export interface OtherRow extends EventRow {
  type: OtherEventType;
  data: Record<string, unknown>;
}

/** Events other than workouts and sleep. */
export const otherTable: EventTable = {
  name: 'others',
  table: 'timeseries.other_record',
  columns: 'type, data',
};
