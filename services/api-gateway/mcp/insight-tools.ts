import { z } from 'zod';
import { insights } from '../../../contracts/insights.ts';
import { endpointOf } from '../endpoints.ts';
import { cursorOf, pageOf, readBounded } from './bounded-answer.ts';
import { tableOf } from './table.ts';
import { tool } from './tool.ts';
import { dayRange, mostItems } from './tool-fields.ts';

const { sex } = insights.actions.training.params.shape;
const mostDays = 400;
const note =
  'Computed by published methods; no medical statement. Days without data are omitted. A value is null where `reason` says why.';

/** What is computed from the data of a user. */
export const insightTools = [
  tool({
    name: 'get_baselines',
    title: 'Baselines and deviations',
    description: `What is usual for a user and how far a day lies from it, one row for each local day and measure (resting heart rate, HRV, breathing rate, skin temperature, oxygen saturation, duration and middle of the sleep, steps, weight): the value, the median and the spread of the 28 days before, z (distance in spreads) and for how many days in a row it is unusual. ${note}`,
    endpoint: endpointOf('insights.baselines'),
    params: z.object({ ...dayRange, limit: mostItems(mostDays) }),
    run: ({ limit = mostDays, cursor, ...args }, call) => {
      const read = async (size: number, at: string | undefined) =>
        pageOf(await call('insights.baselines', { ...args, limit: size, ...cursorOf(at) }));
      const show = (days: Awaited<ReturnType<typeof read>>['data']) =>
        tableOf(
          days.flatMap(({ date, measures }) =>
            measures.map(({ confidence: _, ...measure }) => ({ date, ...measure })),
          ),
        );
      return readBounded({ limit, pageLimit: mostDays, cursor, read, show });
    },
  }),
  tool({
    name: 'get_insights',
    title: 'Computed scores',
    description: `Scores that this server computes, one row a local day: sleep score (0-100) with its components, resilience (the coefficient of variation of seven nights of HRV; low is steady), the Sleep Regularity Index (-100 to 100), social jet lag, minutes of activity of the week against 150, and peak cadence. Scores that providers computed: list_scores. ${note}`,
    endpoint: endpointOf('insights.days'),
    params: z.object({ ...dayRange, limit: mostItems(mostDays) }),
    run: ({ limit = mostDays, cursor, ...args }, call) => {
      const read = async (size: number, at: string | undefined) =>
        pageOf(await call('insights.days', { ...args, limit: size, ...cursorOf(at) }));
      return readBounded({ limit, pageLimit: mostDays, cursor, read, show: withoutMethods });
    },
  }),
  tool({
    name: 'get_training',
    title: 'Training loads',
    description: `Training of local days, one row a day: impulses of Banister (needs \`sex\`) and Edwards, seconds in heart rate zones, chronic and acute load and their balance, monotony and strain, the acute to chronic ratio, and oxygen uptake. ${note}`,
    endpoint: endpointOf('insights.training'),
    params: z.object({ ...dayRange, sex, limit: mostItems(mostDays) }),
    run: ({ limit = mostDays, cursor, ...args }, call) => {
      const read = async (size: number, at: string | undefined) =>
        pageOf(await call('insights.training', { ...args, limit: size, ...cursorOf(at) }));
      return readBounded({ limit, pageLimit: mostDays, cursor, read, show: withoutMethods });
    },
  }),
  tool({
    name: 'get_recovery',
    title: 'Recovery of days',
    description: `What the night says about a local day, one row for each day and measure, against the baseline of the 28 days before, and in \`scores\` the scores of readiness, recovery and recharge as providers sent them. ${note}`,
    endpoint: endpointOf('summaries.recovery'),
    params: z.object({ ...dayRange, limit: mostItems(mostDays) }),
    run: ({ limit = mostDays, cursor, ...args }, call) => {
      const read = async (size: number, at: string | undefined) =>
        pageOf(await call('summaries.recovery', { ...args, limit: size, ...cursorOf(at) }));
      const show = (days: Awaited<ReturnType<typeof read>>['data']) => ({
        ...tableOf(
          days.flatMap(({ date, measures }) =>
            measures.map(({ confidence: _, ...measure }) => ({ date, ...measure })),
          ),
        ),
        scores: tableOf(
          days.flatMap(({ scores }) =>
            scores.map(({ date, kind, value, label, source }) => ({ date, kind, value, label, source })),
          ),
        ),
      });
      return readBounded({ limit, pageLimit: 100, cursor, read, show });
    },
  }),
];

// The method of each value is the same in all rows.
const withoutMethods = (days: readonly object[]) => {
  const table = tableOf(days.map((day) => ({ ...day })));
  const kept = table.columns.flatMap((column, index) =>
    /\.(method\.|confidence$)/.test(column) ? [] : [index],
  );
  const cut = <T>(cells: readonly T[]) => kept.map((index) => cells[index] ?? null);
  return { ...table, columns: cut(table.columns), rows: table.rows.map(cut) };
};
