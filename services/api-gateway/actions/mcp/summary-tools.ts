import { z } from 'zod';
import { insights } from '../../../../contracts/insights.ts';
import { ExplainedField, type RecoverySummary } from '../../../../contracts/summaries/schemas.ts';
import { summaries } from '../../../../contracts/summaries.ts';
import type { Score } from '../../../../contracts/timeseries/scores.ts';
import { timeseries } from '../../../../contracts/timeseries.ts';
import { SortOrder } from '../../../../domain/wire.ts';
import { endpointOf } from '../../rules/endpoints.ts';
import { checkSize, dayRange, mostItems, readList, type Table, tableOf, tool } from './tool.ts';

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
    run: ({ fields, ...args }, call) => {
      const show = (days: readonly object[]) => chosen(days, fields);
      const list = { mostItems: mostDays, pageLimit: 400, show };
      return readList(args, list, (page) => call('summaries.activity', page));
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
    run: ({ fields, ...args }, call) => {
      const show = (days: readonly object[]) => chosen(days, fields);
      const list = { mostItems: mostDays, pageLimit: 100, show };
      return readList(args, list, (page) => call('summaries.sleep', page));
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
  return columnsOf(table, isChosen);
}

function columnsOf(table: Table, isShown: (column: string) => boolean): Table {
  const shown = table.columns.flatMap((column, index) => (isShown(column) ? [index] : []));
  const cut = <T>(cells: readonly T[]) => shown.map((index) => cells[index]);
  return {
    ...table,
    columns: table.columns.filter(isShown),
    rows: table.rows.map(cut),
  };
}

const { sex } = insights.actions.training.params.shape;
const note =
  'Computed by published methods; no medical statement. Days without data are omitted. A value is null where `reason` says why.';

const ofInsights = { mostItems: mostDays, pageLimit: mostDays, show: withoutMethods };

/** What is computed from the data of a user. */
export const insightTools = [
  tool({
    name: 'get_baselines',
    title: 'Baselines and deviations',
    description: `What is usual for a user and how far a day lies from it, one row for each local day and measure (resting heart rate, HRV, breathing rate, skin temperature, oxygen saturation, duration and middle of the sleep, steps, weight): the value, the median and the spread of the 28 days before, z (distance in spreads) and for how many days in a row it is unusual. ${note}`,
    endpoint: endpointOf('insights.baselines'),
    params: z.object({ ...dayRange, limit: mostItems(mostDays) }),
    run: (args, call) => {
      const list = { mostItems: mostDays, pageLimit: mostDays, show: measuresOf };
      return readList(args, list, (page) => call('insights.baselines', page));
    },
  }),
  tool({
    name: 'get_insights',
    title: 'Computed scores',
    description: `Scores that this server computes, one row a local day: sleep score (0-100) with its components, resilience (the coefficient of variation of seven nights of HRV; low is steady), the Sleep Regularity Index (-100 to 100), social jet lag, minutes of activity of the week against 150, and peak cadence. Scores that providers computed: list_scores. ${note}`,
    endpoint: endpointOf('insights.days'),
    params: z.object({ ...dayRange, limit: mostItems(mostDays) }),
    run: (args, call) => readList(args, ofInsights, (page) => call('insights.days', page)),
  }),
  tool({
    name: 'get_training',
    title: 'Training loads',
    description: `Training of local days, one row a day: impulses of Banister (needs \`sex\`) and Edwards, seconds in heart rate zones, chronic and acute load and their balance, monotony and strain, the acute to chronic ratio, and oxygen uptake. ${note}`,
    endpoint: endpointOf('insights.training'),
    params: z.object({ ...dayRange, sex, limit: mostItems(mostDays) }),
    run: (args, call) => readList(args, ofInsights, (page) => call('insights.training', page)),
  }),
  tool({
    name: 'get_recovery',
    title: 'Recovery of days',
    description: `What the night says about a local day, one row for each day and measure, against the baseline of the 28 days before, and in \`scores\` the scores of readiness, recovery and recharge as providers sent them. ${note}`,
    endpoint: endpointOf('summaries.recovery'),
    params: z.object({ ...dayRange, limit: mostItems(mostDays) }),
    run: (args, call) => {
      const list = { mostItems: mostDays, pageLimit: 100, show: showRecovery };
      return readList(args, list, (page) => call('summaries.recovery', page));
    },
  }),
];

// The method of each value is the same in all rows.
function withoutMethods(days: readonly object[]): Table {
  const table = tableOf(days.map((day) => ({ ...day })));
  return columnsOf(table, (column) => !/\.(method\.|confidence$)/.test(column));
}

interface MeasuredDay {
  readonly date: string;
  readonly measures: readonly { readonly confidence: unknown }[];
}

function measuresOf(days: readonly MeasuredDay[]): Table {
  const rows = days.flatMap(({ date, measures }) =>
    measures.map(({ confidence: _, ...measure }) => ({ date, ...measure })),
  );
  return tableOf(rows);
}

function showRecovery(days: readonly RecoverySummary[]) {
  const scores = days.flatMap((day) =>
    day.scores.map(({ date, kind, value, label, source }) => ({ date, kind, value, label, source })),
  );
  return { ...measuresOf(days), scores: tableOf(scores) };
}

const { kind, provider } = timeseries.actions.scores.params.shape;
const mostScores = 400;

/** Scores of local days, nights and workouts. */
export const scoresTool = tool({
  name: 'list_scores',
  title: 'List scores',
  description:
    'Scores that providers computed of days, nights and workouts, such as readiness, recovery, strain, stress or sleep, newest day first: kind, number (`value`), word (`label`), parts by their names at the provider (`components`), source and span. Scores of two providers are not comparable.',
  endpoint: endpointOf('timeseries.scores'),
  params: z.object({ ...dayRange, kind, provider, limit: mostItems(mostScores) }),
  run: (args, call) => {
    const show = (scores: readonly Score[]) => tableOf(scores.map(toRow));
    const list = { mostItems: mostScores, pageLimit: 100, show };
    return readList(args, list, (page) => call('timeseries.scores', page));
  },
});

// One column for the components: each kind has others.
const toRow = ({ components, ...score }: Score) => ({
  ...score,
  components: Object.entries(components).map(([name, value]) => `${name}: ${value ?? ''}`),
});
