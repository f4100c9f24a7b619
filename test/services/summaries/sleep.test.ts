import t from 'tap';
import type { NightSource } from '../../../domain/provider/facts.ts';
import { nightToWire } from '../../../services/summaries/sleep.ts';
import { devices, main, rules } from './facts.ts';

const date = '2026-03-02';

function night(...sources: (Partial<NightSource> & { provider: string })[]) {
  const full = sources.map((one) => ({ device: 0, main: null, nap_count: 0, nap_seconds: 0, ...one }));
  return nightToWire({ date, sources: full }, devices, rules);
}

t.test('a night in two parts and a nap: sums of the parts, the gap is an interruption', async (t) => {
  const slept = main({
    sessions: 2,
    end_ms: Date.UTC(2026, 2, 2, 7, 30),
    in_bed_seconds: 30_000,
    asleep_seconds: 25_259,
    deep_seconds: 3659,
    light_seconds: 18_000,
    rem_seconds: 3600,
    awake_seconds: 1799,
    interruptions: 3,
    means: {
      heart_rate: 52.5,
      heart_rate_variability_sdnn: 61.23456,
      respiratory_rate: 14.005,
      oxygen_saturation: 96.3333,
    },
  });
  t.same(night({ provider: 'devicemaker', main: slept, nap_count: 1, nap_seconds: 1559 }), {
    date,
    source: { provider: 'devicemaker', device: 'Watch 7' },
    start_time: '2026-03-01T22:00:00Z',
    end_time: '2026-03-02T07:30:00Z',
    duration_minutes: 420,
    time_in_bed_minutes: 500,
    efficiency_percent: 84.2,
    stages: { awake_minutes: 29, light_minutes: 300, deep_minutes: 60, rem_minutes: 60 },
    interruptions_count: 4,
    nap_count: 1,
    nap_duration_minutes: 25,
    avg_heart_rate_bpm: 53,
    avg_hrv_sdnn_ms: 61.23,
    avg_respiratory_rate: 14.01,
    avg_spo2_percent: 96.33,
  });
});

t.test('missing values are null, and the nested object is present', async (t) => {
  t.same(night({ provider: 'activitynet', device: 1, main: main() }), {
    date,
    source: { provider: 'Platform', device: 'Band 2' },
    start_time: '2026-03-01T22:00:00Z',
    end_time: '2026-03-02T06:00:00Z',
    duration_minutes: 450,
    time_in_bed_minutes: 480,
    efficiency_percent: 93.75,
    stages: { awake_minutes: null, light_minutes: null, deep_minutes: null, rem_minutes: null },
    interruptions_count: null,
    nap_count: 0,
    nap_duration_minutes: 0,
    avg_heart_rate_bpm: null,
    avg_hrv_sdnn_ms: null,
    avg_respiratory_rate: null,
    avg_spo2_percent: null,
  });
});

t.test('a day with naps only is listed with null main fields', async (t) => {
  const summary = night({ provider: 'devicemaker', device: 1, nap_count: 2, nap_seconds: 3000 });
  t.match(summary, {
    source: { provider: 'devicemaker', device: 'Band 2' },
    start_time: null,
    end_time: null,
    duration_minutes: null,
    time_in_bed_minutes: null,
    efficiency_percent: null,
    stages: { awake_minutes: null, light_minutes: null, deep_minutes: null, rem_minutes: null },
    interruptions_count: null,
    nap_count: 2,
    nap_duration_minutes: 50,
  });
});

t.test('a night comes from one provider, the one with the longest sleep', async (t) => {
  const summary = night(
    { provider: 'devicemaker', main: main({ asleep_seconds: 20_000, deep_seconds: 6000 }) },
    { provider: 'activitynet', device: 1, main: main({ asleep_seconds: 20_001 }) },
  );
  t.match(summary, {
    source: { provider: 'Platform', device: 'Band 2' },
    duration_minutes: 333,
    stages: { deep_minutes: null },
  });
});

t.test('of equally long nights that of the first provider in SOURCE_PRIORITY counts', async (t) => {
  const summary = night({ provider: 'activitynet', main: main() }, { provider: 'devicemaker', main: main() });
  t.equal(summary.source.provider, 'devicemaker');
});

t.test('naps are those of the provider with most of them, also beside the night of another', async (t) => {
  const summary = night(
    { provider: 'devicemaker', main: main(), nap_count: 2, nap_seconds: 1200 },
    { provider: 'activitynet', nap_count: 1, nap_seconds: 1800 },
  );
  t.match(summary, { source: { provider: 'devicemaker' }, nap_count: 1, nap_duration_minutes: 30 });
});

t.test('a session without length has no efficiency', async (t) => {
  const summary = night({ provider: 'devicemaker', main: main({ in_bed_seconds: 0, asleep_seconds: 0 }) });
  t.match(summary, { efficiency_percent: null, duration_minutes: 0, time_in_bed_minutes: 0 });
});

t.test('a night with a session without stages has no efficiency', async (t) => {
  const summary = night({ provider: 'devicemaker', main: main({ is_staged: false, deep_seconds: 3600 }) });
  t.match(summary, { efficiency_percent: null, duration_minutes: 450, time_in_bed_minutes: 480 });
});

t.test('an efficiency is never above 100', async (t) => {
  const summary = night({ provider: 'devicemaker', main: main({ asleep_seconds: 40_000 }) });
  t.equal(summary.efficiency_percent, 100);
});
