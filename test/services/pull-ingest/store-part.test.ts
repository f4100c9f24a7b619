import { randomUUID } from 'node:crypto';
import t from 'tap';
import { bareItem, type StoreItem } from '../../../domain/records/records.ts';
import { dayMs, hourMs, isoTime, minuteMs } from '../../../domain/time/time.ts';
import type { StreamType } from '../../../domain/workouts/track.ts';
import { dataTypes } from '../../../providers/googlehealth/data-types.ts';
import { types as oura } from '../../../providers/oura/collections.ts';
import { types as polar } from '../../../providers/polar/records.ts';
import { storePart } from '../../../services/pull-ingest/store-part.ts';
import { day, workout } from '../timeseries/items.ts';

const account = { provider: 'googlehealth', connection_id: randomUUID(), user_id: randomUUID() } as const;
const span = { startMs: Date.UTC(2026, 2, 1), endMs: Date.UTC(2026, 2, 2) };
const seconds = (span.endMs - span.startMs) / 1000;

interface Replaced {
  readonly items: readonly StoreItem[];
  readonly replaces: { readonly start_ms: number; readonly end_ms: number };
}

t.test('a large part is replaced in calls whose spans join, each sample once', async (t) => {
  const type = dataTypes['heart-rate'];
  if (type === undefined) throw new Error('no type');
  const at = Array.from({ length: seconds / 4 }, (_, index) => index * 4000);
  const block = {
    type: 'heart_rate',
    device: 'Watch',
    zone_offset_minutes: null,
    base_ms: span.startMs,
  } as const;
  const samples = [{ ...block, at, values: at.map(() => 60) }];
  const head = { data_type: 'heart-rate', key: 'day', supersede: 'latest', duration_seconds: 0 } as const;
  const part = { items: [{ ...bareItem, ...head, hash: '', samples }], skipped: {} };
  const calls: Replaced[] = [];
  const call = async (_: string, params: Replaced) => {
    calls.push(params);
    return [];
  };
  await storePart(call as never, account, { name: 'heart-rate', type, span, part, hash: 'read' });
  const spans = calls.map(({ replaces }) => replaces);
  t.ok(spans.length > 1);
  t.same(
    spans.map(({ start_ms }) => start_ms),
    [span.startMs, ...spans.slice(0, -1).map(({ end_ms }) => end_ms)],
  );
  t.equal(spans.at(-1)?.end_ms, span.endMs);
  const sent = calls.flatMap(({ items }) => items.flatMap((item) => item.samples));
  t.same(
    sent.flatMap((one) => one.at.map((ms) => one.base_ms + ms - span.startMs)),
    at,
  );
});

t.test(
  'a day with many samples is stored whole, and listed in each half that has some of them',
  async (t) => {
    const type = oura.daily_activity;
    if (type === undefined) throw new Error('no type');
    const week = { startMs: span.startMs, endMs: span.startMs + 7 * dayMs };
    const perDay = dayMs / minuteMs;
    const at = Array.from({ length: perDay }, (_, minute) => minute * minuteMs);
    const items = Array.from({ length: 7 }, (_, index): StoreItem => {
      const base_ms = week.startMs + index * dayMs + 4 * hourMs;
      const date = isoTime(week.startMs + index * dayMs).slice(0, 10);
      const head = {
        data_type: 'daily_activity',
        key: date,
        hash: date.padEnd(64),
        supersede: 'latest',
      } as const;
      const samples = [
        {
          type: 'average_met',
          device: 'Ring',
          zone_offset_minutes: 0,
          base_ms,
          at,
          values: at.map(() => 1.5),
        },
      ] as const;
      return { ...bareItem, ...head, duration_seconds: 0, samples: [...samples], day: day(date) };
    });
    const calls: Replaced[] = [];
    const call = async (_: string, params: Replaced) => {
      calls.push(params);
      return [];
    };
    const part = { items, skipped: {} };
    const own = { ...account, provider: 'oura' } as const;
    await storePart(call as never, own, { name: 'daily_activity', type, span: week, part, hash: 'read' });
    t.ok(calls.length > 1);
    for (const { items: sent, replaces } of calls) {
      for (const one of sent)
        t.strictSame(
          one,
          items.find(({ key }) => key === one.key),
        );
      const isIn = (ms: number) => ms >= replaces.start_ms && ms < replaces.end_ms;
      const listed = new Set(sent.map(({ key }) => key));
      for (const { key, samples } of items)
        if (samples.some((one) => one.at.some((ms) => isIn(one.base_ms + ms)))) t.ok(listed.has(key), key);
    }
  },
);

const rules = { stores: true, version: 3, zones: [{ latitude: 50, longitude: 8, radius_meters: 500 }] };

t.test('a long workout is stored in parts, with its track as the route privacy permits', async (t) => {
  const type = polar.activities;
  const seconds = 7200;
  const at = Array.from({ length: seconds }, (_, index) => index * 1000);
  const base = { device: 'Watch', zone_offset_minutes: 60, base_ms: span.startMs } as const;
  const samples = (['heart_rate', 'speed'] as const).map((name) => ({
    ...{ ...base, type: name, at, values: at.map(() => 60) },
  }));
  const times = at.map((ms) => span.startMs + ms);
  const column = (read: (second: number) => number) => Float64Array.from(at, (ms) => read(ms / 1000));
  const columns = new Map<StreamType, Float64Array>([
    ['latitude', column((second) => 50 + second / 10_000)],
    ['longitude', column(() => 8)],
  ]);
  const head = {
    data_type: 'activities',
    key: 'run',
    supersede: 'latest',
    duration_seconds: seconds,
  } as const;
  const record = workout(span.startMs, seconds / 60);
  const items = [{ ...bareItem, ...head, hash: 'a', workout: record, samples }];
  const part = { items, tracks: new Map([['run', { times, columns }]]), skipped: {} };
  const stored: StoreItem[] = [];
  const names: string[] = [];
  const calling = (status: string) => async (name: string, params: Partial<Replaced>) => {
    names.push(name);
    stored.push(...(params.items ?? []));
    return name === 'timeseries.routeRules' ? rules : (params.items ?? []).map(() => ({ status }));
  };
  if (type === undefined) throw new Error('no type');
  const given = { name: 'activities', type, span, part, hash: 'read' };
  await storePart(calling('saved') as never, { ...account, provider: 'polar' }, given);
  t.equal(names[0], 'timeseries.routeRules');
  t.equal(names.filter((name) => name === 'timeseries.replace' && stored.length > 0).length > 0, true);
  t.same(
    stored.map((one) => [one.part, one.more]),
    stored.map((_, index) => [index, index < stored.length - 1]),
  );
  t.equal(
    stored.flatMap((one) => one.samples).reduce((sum, one) => sum + one.at.length, 0),
    2 * seconds,
  );
  for (const one of stored) t.ok(JSON.stringify(one).length < 256 * 1024);
  const chunks = stored.flatMap((one) => one.track);
  t.equal(
    chunks.reduce((sum, { points }) => sum + points, 0),
    seconds,
  );
  t.equal(chunks[0]?.located, 1800 - 45, 'positions in the zone are left out');
  t.ok(stored.every(({ route_version }) => route_version === 3));

  stored.length = 0;
  await storePart(calling('duplicate') as never, { ...account, provider: 'polar' }, given);
  t.equal(stored.length, 1, 'of a workout that is stored already only the first part is sent');
});
