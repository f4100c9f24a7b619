import { emptyResource } from '@opentelemetry/resources';
import t from 'tap';
import { newMetrics } from '../../runtime/telemetry/sdk-metrics.ts';

t.test('a collector is called before each scrape until it ends', async (t) => {
  const metrics = newMetrics();
  let calls = 0;
  const end = metrics.onScrape(() => {
    calls += 1;
  });
  await metrics.text();
  await metrics.text();
  t.equal(calls, 2);
  end();
  await metrics.text();
  t.equal(calls, 2);
});

t.test('a metric has at most 10,000 series, and the values of further ones are kept as one', async (t) => {
  const metrics = newMetrics();
  const labels = { provider: 'phone', data_type: 'x' };
  for (let field = 0; field < 10_005; field += 1)
    metrics.count('pulsebus_unlisted_fields_total', { ...labels, field });
  const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('pulsebus_unlisted'));
  t.equal(lines.length, 10_000);
  t.equal(lines.at(-1), 'pulsebus_unlisted_fields_total{otel_metric_overflow="true"} 6');
});

t.test('what is pushed has the gauges of its own collection, and what was counted', async (t) => {
  const pushed: string[] = [];
  const metrics = newMetrics({
    resource: emptyResource(),
    exporter: {
      export({ scopeMetrics }, done) {
        const points = scopeMetrics.flatMap((scope) => scope.metrics);
        pushed.push(
          ...points.map(({ descriptor, dataPoints }) => `${descriptor.name} ${dataPoints[0]?.value}`),
        );
        done({ code: 0 });
      },
      forceFlush: async () => undefined,
      shutdown: async () => undefined,
    },
  });
  metrics.onScrape(() => metrics.set('pulsebus_http_connections', {}, 3));
  metrics.count('pulsebus_database_reads_total', { server: 'primary' }, 2);
  t.match(await metrics.text(), /^pulsebus_http_connections 3$/m);
  await metrics.stop();
  t.same(pushed.toSorted(), ['pulsebus_database_reads_total 2', 'pulsebus_http_connections 3']);
});
