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
