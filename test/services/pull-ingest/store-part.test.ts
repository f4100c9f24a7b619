import { randomUUID } from 'node:crypto';
import t from 'tap';
import { bareItem, type StoreItem } from '../../../domain/records/records.ts';
import { dataTypes } from '../../../providers/googlehealth/data-types.ts';
import { storePart } from '../../../services/pull-ingest/store-part.ts';

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
