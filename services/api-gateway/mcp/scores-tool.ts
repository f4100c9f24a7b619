import { z } from 'zod';
import type { Score } from '../../../contracts/timeseries/scores.ts';
import { timeseries } from '../../../contracts/timeseries.ts';
import { endpointOf } from '../endpoints.ts';
import { cursorOf, pageOf, readBounded } from './bounded-answer.ts';
import { tableOf } from './table.ts';
import { tool } from './tool.ts';
import { dayRange, mostItems } from './tool-fields.ts';

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
  run: ({ limit = mostScores, cursor, ...args }, call) => {
    const read = async (size: number, at: string | undefined) =>
      pageOf(await call('timeseries.scores', { ...args, limit: size, ...cursorOf(at) }));
    return readBounded({ limit, pageLimit: 100, cursor, read, show: (scores) => tableOf(scores.map(toRow)) });
  },
});

// One column for the components: each kind has others.
const toRow = ({ components, ...score }: Score) => ({
  ...score,
  components: Object.entries(components).map(([name, value]) => `${name}: ${value ?? ''}`),
});
