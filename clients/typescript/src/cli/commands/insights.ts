import type { DayBaselines, DayInsights, DayTraining, RecoverySummary } from '../../index.ts';
import { type Command, type Context, UsageError } from '../command.ts';
import { findUser } from '../find-user.ts';
import { formatOption, printRows, type Row } from '../table.ts';
import { timeOf } from '../times.ts';

const kinds = ['baselines', 'scores', 'training', 'recovery'] as const;
const sexes = ['female', 'male'] as const;
const usualDays = 14;
const mostDays = 1100;

export const insights: Command = {
  name: 'insights',
  summary: 'Show what is computed of a user: baselines, scores, training or recovery',
  usage: '<user> <kind>',
  arity: [2, 2],
  options: {
    start: {
      type: 'string',
      value: 'TIME',
      description: `the first day: a date, or 3d for three days ago; default: ${usualDays}d`,
    },
    end: { type: 'string', value: 'TIME', description: 'the last day; default: today' },
    sex: {
      type: 'string',
      value: 'SEX',
      description: `training: the weights of Banister's impulse: ${sexes.join(', ')}`,
      choices: sexes,
    },
    format: formatOption,
  },
  notes: `The kinds are ${kinds.join(', ')}. Values are no medical statements.`,
  examples: ['pulsebus insights 42 scores', 'pulsebus insights 42 training --start 28d --sex female'],
  async run(context) {
    const [name = '', given = ''] = context.args;
    const kind = kinds.find((one) => one === given);
    if (kind === undefined) throw new UsageError(`The kind is one of ${kinds.join(', ')}.`);
    const now = Date.now();
    const day = (option: 'start' | 'end', preset: string) =>
      timeOf(context.values.text(option) ?? preset, now).slice(0, 10);
    const range = { start_date: day('start', `${usualDays}d`), end_date: day('end', '0s') };
    const { id: user_id } = await findUser(context.client(), name, context.signal);
    const count = await print(context, kind, { user_id, ...range });
    if (count === 0) context.output.note('There is no data of these days.');
  },
};

interface Query {
  readonly user_id: string;
  readonly start_date: string;
  readonly end_date: string;
}

async function print(context: Context, kind: (typeof kinds)[number], query: Query): Promise<number> {
  const { client, values, signal } = context;
  const shown = <Item>(items: readonly Item[], rowsOf: (item: Item) => Row[]) => {
    printRows(context, items.flatMap(rowsOf), items);
    return items.length;
  };
  const given = values.text('sex');
  const sex = sexes.find((one) => one === given);
  if (given !== undefined && sex === undefined) throw new UsageError(`--sex is one of ${sexes.join(', ')}.`);
  const { insights: api, summaries } = client();
  switch (kind) {
    case 'baselines':
      return shown(await api.baselines(query, { signal }).toArray(mostDays), measureRows);
    case 'scores':
      return shown(await api.days(query, { signal }).toArray(mostDays), scoreRows);
    case 'training':
      return shown(
        await api.training(sex === undefined ? query : { ...query, sex }, { signal }).toArray(mostDays),
        trainingRows,
      );
    case 'recovery':
      return shown(await summaries.recovery(query, { signal }).toArray(mostDays), measureRows);
  }
}

const rounded = (value: number | null | undefined) =>
  value === null || value === undefined ? null : Math.round(value * 100) / 100;

function measureRows({ date, measures }: DayBaselines | RecoverySummary): Row[] {
  return measures.map(({ measure, value, median, spread, z, unusual_days, reason }) => ({
    date,
    measure,
    value: rounded(value),
    median: rounded(median),
    spread: rounded(spread),
    z: rounded(z),
    unusual_days,
    reason,
  }));
}

function scoreRows({ date, ...day }: DayInsights): Row[] {
  const { sleep_score, resilience, sleep_regularity, social_jet_lag, weekly_activity, peak_cadence } = day;
  return [
    {
      date,
      sleep_score: sleep_score.value,
      hrv_cv: rounded(resilience.coefficient),
      regularity: rounded(sleep_regularity.value),
      jet_lag: rounded(social_jet_lag.lag_minutes),
      active_minutes: rounded(weekly_activity.equivalent_minutes),
      cadence: rounded(peak_cadence.value),
    },
  ];
}

function trainingRows({ date, workouts, edwards, banister, ...day }: DayTraining): Row[] {
  return [
    {
      date,
      workouts,
      edwards: rounded(edwards.value),
      banister: rounded(banister.value),
      chronic: rounded(day.load.chronic),
      acute: rounded(day.load.acute),
      balance: rounded(day.load.balance),
      monotony: rounded(day.monotony.value),
      ratio: rounded(day.acute_chronic_ratio.value),
      vo2_max: rounded(day.oxygen_uptake.value),
    },
  ];
}
