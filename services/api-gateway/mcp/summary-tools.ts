import { z } from 'zod';
import { ExplainedField } from '../../../contracts/summaries/schemas.ts';
import { summaries } from '../../../contracts/summaries.ts';
import { SortOrder } from '../../../domain/wire.ts';
import { endpointOf } from '../endpoints.ts';
import { checkSize, cursorOf, pageOf, readBounded } from './bounded-answer.ts';
import { tableOf } from './table.ts';
import { tool } from './tool.ts';
import { dayRange, mostItems } from './tool-fields.ts';

const { average_period, latest_window_hours, user_id } = summaries.actions.body.params.shape;
const mostDays = 400;

const fieldsOf = <T extends z.ZodType>(name: T, count: number) =>
  z
    .array(name)
    .min(1)
    .max(count)
    .optional()
    .describe('Only these columns. Fewer columns let an answer hold more days. Default: all.');

const SleepField = z.enum([
  'start_time',
  'end_time',
  'duration_minutes',
  'time_in_bed_minutes',
  'efficiency_percent',
  'stages',
  'interruptions_count',
  'nap_count',
  'nap_duration_minutes',
  'avg_heart_rate_bpm',
  'avg_hrv_sdnn_ms',
  'avg_respiratory_rate',
  'avg_spo2_percent',
]);

/** Summaries of local days, nights and the body. */
export const summaryTools = [
  tool({
    name: 'activity_summaries',
    title: 'Activity per day',
    description:
      'Activity of local days: steps, distance in meters, floors, elevation in meters, active and total energy in kcal, active, sedentary, light, moderate and vigorous minutes, average, lowest and highest heart rate in bpm. One row a day, oldest first unless `sort_order` is desc. Days without data are omitted. A year of one or two `fields` fits one answer.',
    endpoint: endpointOf('summaries.activity'),
    params: z.object({
      ...dayRange,
      fields: fieldsOf(ExplainedField, ExplainedField.options.length),
      sort_order: SortOrder.optional().describe('asc: oldest day first (default); desc: newest day first.'),
      limit: mostItems(mostDays),
    }),
    run: ({ limit = mostDays, cursor, fields, ...args }, call) => {
      const read = async (size: number, at: string | undefined) =>
        pageOf(await call('summaries.activity', { ...args, limit: size, ...cursorOf(at) }));
      const show = (days: readonly object[]) => chosen(days, fields);
      return readBounded({ limit, pageLimit: 400, cursor, read, show });
    },
  }),
  tool({
    name: 'sleep_summaries',
    title: 'Sleep per night',
    description:
      'Sleep by the local day of waking up, oldest first, one row a day: time asleep and in bed in minutes, efficiency in percent, minutes of each stage, interruptions, naps, and during the main sleep the averages of heart rate in bpm, HRV (SDNN) in ms, breaths per minute and oxygen saturation in percent. The sleep of last night has the date of today. Days without sleep are omitted.',
    endpoint: endpointOf('summaries.sleep'),
    params: z.object({
      ...dayRange,
      fields: fieldsOf(SleepField, SleepField.options.length),
      limit: mostItems(mostDays),
    }),
    run: ({ limit = mostDays, cursor, fields, ...args }, call) => {
      const read = async (size: number, at: string | undefined) =>
        pageOf(await call('summaries.sleep', { ...args, limit: size, ...cursorOf(at) }));
      const show = (nights: readonly object[]) => chosen(nights, fields);
      return readBounded({ limit, pageLimit: 100, cursor, read, show });
    },
  }),
  tool({
    name: 'body_summary',
    title: 'Current body values',
    description:
      'Current values of a body: weight in kg, height in cm, body fat in percent, muscle mass in kg, BMI; resting heart rate in bpm and HRV (SDNN) in ms averaged over the last days; temperature in degrees Celsius and blood pressure in mmHg of the last hours. `body` is null if there is no data. For past values use time_series.',
    endpoint: endpointOf('summaries.body'),
    params: z.object({
      user_id,
      average_period: z
        .int()
        .min(1)
        .max(7)
        .optional()
        .describe(average_period.description ?? ''),
      latest_window_hours: z
        .int()
        .min(1)
        .max(24)
        .optional()
        .describe(latest_window_hours.description ?? ''),
    }),
    async run(args, call) {
      return checkSize({ body: await call('summaries.body', args) }, 'user_id', 'must be of another user');
    },
  }),
];

// A chosen field may be a group (`stages`) or a part of one (`heart_rate.avg_bpm`).
function chosen(days: readonly object[], fields: readonly string[] | undefined) {
  const table = tableOf(days.map((day) => ({ ...day })));
  if (fields === undefined) return table;
  const isChosen = (column: string) =>
    ['date', 'source'].includes(column) ||
    fields.some((field) => column === field || column.startsWith(`${field}.`));
  const kept = table.columns.flatMap((column, index) => (isChosen(column) ? [index] : []));
  const cut = <T>(cells: readonly T[]) => kept.map((index) => cells[index] ?? null);
  return { ...table, columns: cut(table.columns), rows: table.rows.map(cut) };
}
