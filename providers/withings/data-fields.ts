import { type FieldTable, isKept } from '../../domain/provider/field-table.ts';
import { fields } from './fields.ts';

/** Fields that every answer has. */
const inEnvelope = new Set<string>([
  ...['date', 'timezone', 'deviceid', 'is_tracker', 'brand', 'id', 'category', 'startdate', 'enddate'],
  ...['model', 'completed', 'state', 'epoch', 'attrib'],
]);

/** The calls that take `data_fields`, and the place of these fields in a row. */
const places = { days: '', intraday: '', workouts: 'data.', sleep: 'data.', stages: '' } as const;

/** The value of `data_fields`: only the fields that are named there are sent. */
export function dataFieldsOf(call: keyof typeof places): string {
  const table: FieldTable = fields[call];
  const place = places[call];
  return Object.entries(table)
    .filter(([path, field]) => path.startsWith(place) && isKept(field) && !inEnvelope.has(path))
    .map(([path]) => path.slice(place.length))
    .join(',');
}
