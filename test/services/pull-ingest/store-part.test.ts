import { randomUUID } from 'node:crypto';
import t from 'tap';
import { bareItem, type StoreItem } from '../../../domain/records/records.ts';
import type { StreamType } from '../../../domain/workouts/track.ts';
import { dataTypes } from '../../../providers/googlehealth/data-types.ts';
import { types as polar } from '../../../providers/polar/records.ts';
import { storePart } from '../../../services/pull-ingest/work/store-part.ts';
import { workout } from '../timeseries/items.ts';

const account = { provider: 'googlehealth', connection_id: randomUUID(), user_id: randomUUID() } as const;
const span = { startMs: Date.UTC(2026, 2, 1), endMs: Date.UTC(2026, 2, 2) };
const seconds = (span.endMs - span.startMs) / 1000;

interface Replaced {
  readonly items: readonly StoreItem[];
  readonly replaces: { readonly start_ms: number; readonly end_ms: number };
}

t.test('a span with a sample a second is replaced by one call', async (t) => {
  const type = dataTypes['heart-rate'];
  if (type === undefined) throw new Error('no type');
  const at = Array.from({ length: seconds }, (_, index) => index * 1000);
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
  t.match(calls, [
    { items: [{ hash: 'read', samples }], replaces: { start_ms: span.startMs, end_ms: span.endMs } },
  ]);
  t.equal(calls.length, 1);
  t.ok(JSON.stringify(calls).length < 8 * 1024 * 1024, 'a message of the bus');
});

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
