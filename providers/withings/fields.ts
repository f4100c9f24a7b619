import { type FieldTable, isKept } from '../../domain/provider/field-table.ts';
import { days } from './days.ts';
import { intraday } from './intraday.ts';
import { measures, measureTypes } from './measures.ts';
import { sleep, stages } from './sleep.ts';
import { workouts } from './workouts.ts';

/** The fields of all calls. */
export const fields = {
  measures: measures.fields,
  measureTypes,
  days: days.fields,
  intraday: intraday.fields,
  workouts: workouts.fields,
  sleep: sleep.fields,
  stages,
} as const satisfies Readonly<Record<string, FieldTable>>;

/** Fields that every answer has. */
const inEnvelope = new Set<string>([
  ...['date', 'timezone', 'deviceid', 'is_tracker', 'brand', 'id', 'category', 'startdate', 'enddate'],
  ...['model', 'completed', 'state', 'epoch', 'attrib'],
]);

/** The value of `data_fields`: only the fields that are named there are sent. Rows that have `data` have them there. */
export function dataFieldsOf(call: 'days' | 'intraday' | 'workouts' | 'sleep' | 'stages'): string {
  const place = call === 'workouts' || call === 'sleep' ? 'data.' : '';
  return Object.entries(fields[call])
    .filter(([path, field]) => path.startsWith(place) && isKept(field) && !inEnvelope.has(path))
    .map(([path]) => path.slice(place.length))
    .join(',');
}
