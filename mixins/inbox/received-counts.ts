import { randomUUID } from 'node:crypto';
import { minuteMs } from '../../domain/time/time.ts';
import type { ProviderName } from '../../providers/all.ts';
import type { Environment, Mixin } from '../../runtime/environment.ts';
import { startPeriodicTask } from '../../runtime/jobs/periodic-task.ts';

/** Numbers of what a process received. */
interface Received {
  readonly deliveries?: number;
  /** Records and items of samples that were new or replaced. */
  readonly records?: number;
  readonly samples?: number;
}

/** Counts what this process receives. */
export interface ReceivedCounts {
  note(provider: ProviderName, received: Received): void;
  close(): Promise<void>;
}

interface Minute extends Required<Received> {
  readonly provider: ProviderName;
  readonly minute_ms: number;
}

const everyMs = 5000;
/** Minutes that are kept while the service `deliveries` does not answer. */
const mostMinutes = 120;

/**
 * Counts in memory by minute and reports every 5 s, so that receiving costs no statement. A report has the counts of whole
 * minutes and may be repeated. A process that dies loses the counts of 5 s at most.
 */
export function gatherReceived({ call, logger }: Pick<Environment, 'call' | 'logger'>): ReceivedCounts {
  const process = randomUUID();
  const minutes = new Map<string, Minute>();
  const report = async () => {
    const counts = [...minutes.values()];
    if (counts.length === 0) return;
    await call('deliveries.noteReceived', { process, counts }, { timeout: 2000, retries: 0 });
    forget(minutes, counts);
  };
  const work = () => report().catch(() => undefined);
  const stop = startPeriodicTask({ name: 'received_counts', everyMs, work, logger });
  return {
    note: (provider, received) => add(minutes, provider, received),
    async close() {
      await stop();
      await work();
    },
  };
}

function add(
  minutes: Map<string, Minute>,
  provider: ProviderName,
  { deliveries = 0, records = 0, samples = 0 }: Received,
): void {
  const minute_ms = Math.floor(Date.now() / minuteMs) * minuteMs;
  const key = `${minute_ms} ${provider}`;
  const so = minutes.get(key) ?? { provider, minute_ms, deliveries: 0, records: 0, samples: 0 };
  minutes.set(key, {
    ...so,
    deliveries: so.deliveries + deliveries,
    records: so.records + records,
    samples: so.samples + samples,
  });
  const [oldest] = minutes.keys();
  if (minutes.size > mostMinutes && oldest !== undefined) minutes.delete(oldest);
}

// The current minute stays, because its next report replaces this one. So does a minute that grew meanwhile.
function forget(minutes: Map<string, Minute>, reported: readonly Minute[]): void {
  const now = Math.floor(Date.now() / minuteMs) * minuteMs;
  for (const one of reported) {
    const key = `${one.minute_ms} ${one.provider}`;
    if (one.minute_ms < now && minutes.get(key) === one) minutes.delete(key);
  }
}

/** The counts of a service as a mixin: `uses: { received: receivedCounts() }`. */
export function receivedCounts(): Mixin<ReceivedCounts> {
  return (starting) => {
    const counts = gatherReceived(starting);
    starting.onStop(counts.close);
    return counts;
  };
}
