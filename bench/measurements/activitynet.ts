import { account, eventRequests } from '../activitynet/events.ts';
import { countWaiting, fillQueue } from '../activitynet/fetch-queue.ts';
import { platformSettings, startPlatform } from '../activitynet/platform.ts';
import { estimatedMs, simulate } from '../activitynet/simulate.ts';
import { freshDatabase } from '../dataset/ensure.ts';
import { connections, type Line } from '../lines.ts';
import type { Bench, Measurement } from '../measurement.ts';
import { Id } from '../requests.ts';
import { inRounds } from '../rounds.ts';

/** The number of activities that are fetched before the quarter hour's limit is used up. */
const mostFetched = 100;

/** The activity platform: incoming events, and the duration of fetching within its limits. */
export const activitynet: Measurement = {
  name: 'activitynet',
  title: 'Activity platform',
  hasOwnData: true,
  async *lines(bench) {
    const { activities, events, waiting } = bench.sizes.platform;
    yield `Events over ${connections} connections, ${events.toLocaleString('en')} a round, all services in one process, each event noted as a fetch before it is answered. A: with ${waiting.toLocaleString('en')} fetches waiting before; B: with none. In both the limit of the quarter hour is used up, so nothing is fetched meanwhile. Then ${activities.toLocaleString('en')} fetches that wait at midnight, at 100 reads a quarter hour and 1,000 a day. A: the service, with its clock and the platform's turned; B: reckoned, to the start of the last quarter hour.`;
    const send = await eventSender(bench);
    // The round that is not counted uses up the quarter hour.
    const [a = [], b = []] = await inRounds(bench.sizes.rounds, [() => send(waiting), () => send(0)]);
    const of = (read: (one: (typeof a)[number]) => number) => [a.map(read), b.map(read)] as const;
    yield { what: 'events answered', figures: of(({ requests, seconds }) => requests / seconds), unit: '/s' };
    yield {
      what: 'the slowest hundredth of answers (p99)',
      figures: of(({ p99_ms }) => p99_ms),
      unit: 'ms',
      goal: { most: 1.5 },
    };
    yield await fetching(bench);
  },
};

/** Sends a round of new events, with some fetches waiting before. */
async function eventSender(bench: Bench) {
  const platform = bench.use(await startPlatform());
  const { pool, product } = await bench.startEmpty('events', platformSettings(platform));
  const { id } = Id.parse(await product.post('/users', { external_user_id: 'athlete' }));
  const link = { provider: 'activitynet', provider_user_id: account, access_token: 'a token' };
  await product.post(`/users/${id}/connections`, link);
  const { events } = bench.sizes.platform;
  let sent = 0;
  return async (before: number) => {
    await fillQueue(pool, before);
    const requests = eventRequests(sent, events);
    const bounds = { connections, most_requests: events };
    const result = await bench.load.sendLoad({ url: product.url, requests }, bounds);
    sent += events;
    const { waiting } = await countWaiting(pool);
    if (sent > 2 * events && waiting < before + events - mostFetched)
      throw new Error(`${waiting} fetches wait after ${events} events and ${before} before`);
    return result;
  };
}

async function fetching(bench: Bench): Promise<Line> {
  const { activities } = bench.sizes.platform;
  const { tookMs, reads, refused } = await simulate(await freshDatabase(bench, bench.sizes), activities);
  const ratio = tookMs / estimatedMs(activities);
  return {
    what: `${activities.toLocaleString('en')} activities at the default limits`,
    a: `${clockText(tookMs)} (${reads.toLocaleString('en')} reads, ${refused} refused)`,
    b: clockText(estimatedMs(activities)),
    ratio: ratio.toFixed(4),
    goal: 'ratio ≤ 1.01',
    verdict: ratio <= 1.01 && refused === 0 ? 'met' : 'missed',
  };
}

function clockText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min ${seconds % 60} s`;
}
