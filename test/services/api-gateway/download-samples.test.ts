import t from 'tap';
import type { Call } from '../../../runtime/environment.ts';
import { type DownloadQuery, downloadSamples } from '../../../services/api-gateway/work/streams.ts';

const query: DownloadQuery = {
  user_id: '00000000-0000-4000-8000-000000000000',
  start_time: { ms: 0, dateOnly: false },
  end_time: { ms: 1e12, dateOnly: false },
  resolution: 'raw',
  format: 'ndjson',
};

/**
 * A store of `series` series of `samples` samples each, and what was handed out of it. Samples of series n are
 * `spacing(n)` s apart.
 */
function playedStore(series: number, samples: number, spacing = (_series: number) => 1) {
  const state = { handedOut: 0, calls: 0 };
  const call = async (action: string, params: unknown) => {
    const given = Object(params);
    if (action === 'timeseries.seriesInRange')
      return Array.from({ length: series }, (_, series_id) => {
        return {
          series_id,
          type: 'heart_rate',
          unit: 'bpm',
          source: { provider: 'p', device: `d${series_id}` },
        };
      });
    const apartMs = 1000 * spacing(given.series_id);
    const first: number = given.after === null ? 0 : given.after / apartMs + 1;
    const length = Math.max(0, Math.min(given.limit, samples - first));
    const at = Array.from({ length }, (_, n) => (first + n) * apartMs);
    state.calls += 1;
    state.handedOut += length;
    return {
      at,
      values: at.map((one) => one / 1000),
      next: length < given.limit ? null : (at.at(-1) ?? null),
    };
  };
  return { state, call: call as unknown as Call };
}

t.test('keeps a bounded number of samples in memory', async (t) => {
  for (const [series, samples] of [
    [1, 60_000],
    [7, 10_000],
    [150, 600],
  ] as const) {
    const { call, state } = playedStore(series, samples);
    let sent = 0;
    let most = 0;
    let last = 0;
    for await (const sample of downloadSamples(call, query)) {
      sent += 1;
      most = Math.max(most, state.handedOut - sent);
      const at = Date.parse(sample.timestamp);
      if (at < last) t.fail(`${sample.timestamp} is too late`);
      last = at;
    }
    t.equal(sent, series * samples);
    t.ok(most <= 2 * Math.max(20_000, 200 * series), `${most} at once of ${series} series`);
    t.ok(state.calls < sent / 100, `${state.calls} calls for ${sent} samples`);
  }
});

t.test('reads only while samples are requested', async (t) => {
  const { call, state } = playedStore(3, 60_000);
  const samples = downloadSamples(call, query);
  t.equal(state.calls, 0);
  await samples.next();
  const { calls } = state;
  await samples.return(undefined);
  t.equal(state.calls, calls);
});

t.test('is in the order of time, also of series with samples at different distances', async (t) => {
  const { call } = playedStore(3, 30_000, (series) => 1 + 7 * series);
  const late: string[] = [];
  let last = 0;
  for await (const { timestamp } of downloadSamples(call, query)) {
    const at = Date.parse(timestamp);
    if (at < last) late.push(timestamp);
    last = at;
  }
  t.same(late.slice(0, 3), []);
  t.ok(last > 440_000);
});
