import type { Bench, Measurement } from '../bench.ts';
import { latencies, summariesPath, targetOf } from '../requests.ts';
import { inRounds } from '../rounds.ts';
import { pairRow, shown, singleRow } from '../row.ts';
import { measureThroughput } from '../throughput.ts';

/** Activity summaries by their number of days, from a provider's totals and from samples only. */
export const activity: Measurement = {
  name: 'activity',
  async run(bench) {
    const rows = [
      ...(await compare(bench, 'from samples alone', bench.plan.minuteId)),
      ...(await compare(bench, "from a provider's totals", bench.plan.totalsId)),
    ];
    return {
      title: 'Activity summaries',
      about:
        'One page with all days. Median time of a warm answer over one connection, A: 365 days, B: 7 days; then answers a second over 16 connections, A: 365 days, B: 30 days.',
      rows,
    };
  },
};

async function compare(bench: Bench, source: string, userId: string) {
  const { product, sizes } = bench;
  const target = (days: number) =>
    targetOf(product, [summariesPath(userId, 'activity', { first: 0, count: Math.min(days, sizes.days) })]);
  const [year, month, week] = [target(365), target(30), target(7)];
  const times = await latencies(bench, { year, month, week });
  const rates = await inRounds(sizes.throughputRounds, {
    year: measureThroughput(bench, year, []).measure,
    month: measureThroughput(bench, month, []).measure,
  });
  const most = source === 'from samples alone' ? { goal: { most: 20 } } : {};
  const notes = ['', `(30 days: ${shown(times.month.median)} ms)`] as const;
  return [
    pairRow({ what: source, a: times.year, b: times.week, unit: 'ms', goal: { most: 10 }, notes }),
    singleRow({
      what: `${source}: one warm request of 365 days`,
      value: times.year.median,
      unit: 'ms',
      ...most,
    }),
    pairRow({ what: `${source}: answers a second`, a: rates.year, b: rates.month, unit: '/s' }),
  ];
}
