import { duration } from '../../duration.ts';
import type { Figures } from './figures.ts';
import { counted, type Problem } from './problems.ts';

const recentSeconds = 120;

/** Whether everything is well, in one sentence. */
export function sentenceOf(figures: Figures, problems: readonly Problem[], nowMs: number): string {
  if (problems.length === 1) return '1 thing needs attention.';
  if (problems.length > 1) return `${problems.length} things need attention.`;
  const { users } = figures.overview;
  if (users === 0) return 'Everything is well: there are no users yet.';
  return `Everything is well: ${[
    ...(users === null ? [] : [counted(users, 'user')]),
    newestData(figures, nowMs),
    waits(figures),
  ].join(', ')}.`;
}

function newestData({ providers }: Figures, nowMs: number): string {
  const last = providers.flatMap(({ last_delivery_at: at }) => (at === null ? [] : [Date.parse(at)]));
  if (last.length === 0) return 'no recent data';
  const seconds = Math.max(0, (nowMs - Math.max(...last)) / 1000);
  return seconds <= recentSeconds ? 'data of the last minute' : `last data ${duration(seconds)} ago`;
}

function waits({ overview }: Figures): string {
  const seconds = Math.max(
    overview.oldest_waiting_delivery_seconds ?? 0,
    overview.oldest_waiting_job_seconds ?? 0,
  );
  return seconds === 0 ? 'nothing waits' : `nothing waits for longer than ${duration(seconds)}`;
}
