import t from 'tap';
import { mostExtraBytes } from '../../domain/provider/extra.ts';
import { extraOf, extrasTogether } from '../../domain/provider/extra-fields.ts';
import { extra, type FieldTable, kept, notKept } from '../../domain/provider/field-table.ts';
import { unlistedFields, unlistedInAll } from '../../domain/provider/unlisted-fields.ts';
import { providerNames, providers } from '../../providers/all.ts';
import { newMetrics } from '../../runtime/telemetry/sdk-metrics.ts';
import { countUnlisted } from '../../runtime/telemetry/unlisted-fields.ts';

const table: FieldTable = {
  steps: kept('count', 'day.steps'),
  note: extra(),
  list: extra(),
  'event.level': extra(),
  'laps[].name': extra(),
  'laps[].position': notKept('location data'),
};

t.test('keeps the listed fields only, at any depth', async (t) => {
  const item = {
    ...{ steps: 1, note: 'a', latitude: 52.5, access_token: 'x', userId: 'y', __proto__: { note: 'z' } },
    event: { level: 3, latlng: [52.5, 13.4] },
    laps: [{ name: 'one', position: 52.5 }, { position: 13.4 }, null, { name: 'two', polyline: 'abc' }],
  };
  t.strictSame(extraOf(item, table), {
    ...{ event: { level: 3 }, note: 'a' },
    laps: [{ name: 'one' }, null, null, { name: 'two' }],
  });
  t.strictSame(extraOf({ level: 4, other: 5 }, table, 'event'), { level: 4 });
  for (const nothing of [null, 7, [], {}, { steps: 4 }, { event: [] }, { laps: {} }])
    t.equal(extraOf(nothing, table), null);
});

t.test('a listed field is a short number, text, flag or list of them, and never an object', async (t) => {
  const of = (note: unknown) => extraOf({ note }, table);
  t.strictSame(of({ latitude: 52.5 }), null);
  t.strictSame(of([{ latitude: 52.5 }]), null);
  t.strictSame(of([1, { a: 1 }, 'b', false]), { note: [1, null, 'b', false] });
  t.strictSame(of('a\0b\ud800'), { note: 'ab\ufffd' });
  t.strictSame(of('x'.repeat(5000)), { note: 'x'.repeat(500) });
  for (const nothing of [null, '', Number.NaN, Number.POSITIVE_INFINITY, [], [null], Array(101).fill(1)])
    t.equal(of(nothing), null);
});

t.test('the size of all fields is bounded', async (t) => {
  const long = Array(100).fill('x'.repeat(500));
  t.strictSame(extraOf({ list: long, note: 'a' }, table), { note: 'a' });
  const laps = Array(100_000).fill({ name: 'x'.repeat(30) });
  const kept = extraOf({ laps, note: 'a' }, table);
  t.ok(Buffer.byteLength(JSON.stringify(kept)) < mostExtraBytes + 100);
  t.equal(extrasTogether(null, null), null);
  t.strictSame(extrasTogether({ a: 1 }, null, { b: 2 }), { a: 1, b: 2 });
});

t.test('fields that no table lists are found by name, and names that may be data are not told', async (t) => {
  const item = {
    ...{ steps: 1, spo: 96, '52.52,13.40': 1, event: { level: 1, mood: 'good' } },
    laps: [{ name: 'a', watts: 3 }, { beats: 4 }],
  };
  t.strictSame(unlistedFields(item, table), ['spo', 'other', 'event.mood', 'laps.watts']);
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`a${'b'.repeat(n % 40)}`, n]));
  t.equal(unlistedFields({ ...many, event: null }, table).length, 20);
  for (const nothing of [null, 7, [], [[1]], 'text']) t.strictSame(unlistedFields(nothing, table), []);
  t.strictSame(unlistedFields({ mood: 1 }, { data: kept(null, 'event.data') }), [], 'kept whole');
  t.strictSame(unlistedInAll([{ steps: 1, hr: 2, spo: 3 }], [table, { hr: extra() }]), ['spo']);
});

t.test('the number of counted names is bounded', async (t) => {
  const metrics = newMetrics();
  const names = Array.from({ length: 500 }, (_, index) => `name${index}`);
  countUnlisted(metrics, 'a', 'b', names);
  const lines = (await metrics.text())
    .split('\n')
    .filter((line) => line.startsWith('pulsebus_unlisted_fields_total{'));
  t.equal(lines.length, 201);
  t.ok(lines.includes('pulsebus_unlisted_fields_total{provider="a",data_type="b",field="other"} 300'));
});

t.test('no field that names a position, a token or an account ends in extra', async (t) => {
  const listed = providerNames.flatMap((name) =>
    Object.entries(providers[name].fields).flatMap(([type, fields]) =>
      Object.entries(fields).flatMap(([path, field]) =>
        'ends' in field && field.ends.includes('extra') ? [`${name} ${type} ${path}`] : [],
      ),
    ),
  );
  t.ok(listed.length > 50);
  const forbidden =
    /lat(itude)?\b|lon(gitude)?\b|latlng|polyline|\bmap\b|city|country|address|token|user_?id|athlete\b|account/i;
  t.same(
    listed.filter((one) => forbidden.test(one)),
    [],
  );
});
