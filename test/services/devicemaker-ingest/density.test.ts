import t from 'tap';
import { isWithinBounds } from '../../../domain/json/json-bounds.ts';
import { LargeBody } from '../../../services/devicemaker-ingest/work/reading/large-body.ts';
import { openPush } from '../../../services/devicemaker-ingest/work/reading/open-body.ts';
import { heartRateMap } from '../../fixtures/devicemaker/dailies.ts';
import { refusal } from '../../support/refusal.ts';

const repeated = (before: string, item: string, count: number, after: string) =>
  Buffer.from(`${before}${`${item},`.repeat(count)}${item}${after}`);

t.test('a body whose values take far more memory than its text is refused before it is parsed', async (t) => {
  const empty = repeated('{"sleeps":[', '{}', 6_000_000, ']}');
  t.equal(LargeBody.open(empty, 'object'), 'too_many_values');
  await t.rejects(openPush(empty), refusal('VALIDATION_FAILED'));
  t.notOk(isWithinBounds(repeated('{"unknown":[', '1', 17_000_000, ']}')));
});

t.test('values count 32 bytes and containers 64, up to 512 MiB', async (t) => {
  const mebi = 1024 * 1024;
  const most: readonly (readonly [text: string, count: number])[] = [
    [',', 16 * mebi],
    ['{}', 8 * mebi],
    ['[]', 8 * mebi],
  ];
  for (const [text, count] of most) {
    t.ok(isWithinBounds(Buffer.alloc(count * text.length, text)), text);
    t.notOk(isWithinBounds(Buffer.alloc((count + 1) * text.length, text)), text);
  }
});

t.test('128 MiB of real records are not dense', async (t) => {
  const map = JSON.stringify({ timeOffsetHeartRateSamples: heartRateMap(86_400, () => 60) });
  const sample = { startTimeInSeconds: 1_700_000_000, heartRate: 100 };
  for (const item of [map, JSON.stringify(sample)]) {
    const text = repeated('', item, Math.floor((1024 * 1024) / item.length), '');
    const whole = Buffer.concat(Array.from({ length: 126 }, () => text));
    t.ok(isWithinBounds(whole), item.slice(0, 60));
  }
});

t.test('too many items or keys are refused', async (t) => {
  t.equal(LargeBody.open(repeated('{"dailies":[', '1', 1_000_000, ']}'), 'object'), 'too_many_values');
  t.type(LargeBody.open(repeated('{"dailies":[', '1', 999_999, ']}'), 'object'), LargeBody);
  const keys = (count: number) =>
    Buffer.from(`{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',')}}`);
  t.equal(LargeBody.open(keys(10_001), 'object'), 'too_many_values');
  t.type(LargeBody.open(keys(10_000), 'object'), LargeBody);
});
