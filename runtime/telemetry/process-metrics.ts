import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Metrics } from './metrics.ts';

/** Sets the metrics of this process. To be called before each scrape. */
export function processMetrics(metrics: Metrics): () => void {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  let utilization = performance.eventLoopUtilization();
  const started = Date.now() / 1000 - process.uptime();
  let cpuSeconds = 0;
  return () => {
    // The timer itself takes 10 ms. Before its first run the histogram has no valid values.
    for (const [quantile, nanoseconds] of [
      ['0.5', delay.percentile(50)],
      ['0.99', delay.percentile(99)],
      ['1', delay.max],
    ] as const)
      metrics.set(
        'pulsebus_event_loop_lag_seconds',
        { quantile },
        delay.count === 0 ? 0 : Math.max(0, nanoseconds / 1e9 - 0.01),
      );
    delay.reset();
    const now = performance.eventLoopUtilization();
    metrics.set(
      'pulsebus_event_loop_utilization',
      {},
      performance.eventLoopUtilization(now, utilization).utilization,
    );
    utilization = now;
    const { rss, heapUsed } = process.memoryUsage();
    metrics.set('process_resident_memory_bytes', {}, rss);
    metrics.set('nodejs_heap_used_bytes', {}, heapUsed);
    const { user, system } = process.cpuUsage();
    metrics.count('process_cpu_seconds_total', {}, (user + system) / 1e6 - cpuSeconds);
    cpuSeconds = (user + system) / 1e6;
    metrics.set('process_start_time_seconds', {}, started);
  };
}
