import t from 'tap';
import { z } from 'zod';
import { plainMessage } from '../../domain/plain-message.ts';
import { SampleBlock, StoreItem } from '../../domain/records/records.ts';
import { TimeParameter } from '../../domain/time/time.ts';

const messages = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: plainMessage }).error?.issues.map(({ message }) => message);

t.test('a block of samples has a value for each time', async (t) => {
  const block = { type: 'heart_rate', device: 'Watch', zone_offset_minutes: 0, base_ms: 0 };
  t.ok(SampleBlock.safeParse({ ...block, at: [0, 1], values: [60, 61] }).success);
  const unequal = { ...block, at: [0, 1], values: [60] };
  t.same(messages(SampleBlock, unequal), ['at and values must be of one length']);
});

t.test('an item without `more` is complete', async (t) => {
  const { shape } = StoreItem;
  t.same([shape.more.parse(undefined), shape.part.parse(undefined)], [false, 0]);
});

t.test('an invalid time is refused with the accepted forms', async (t) => {
  t.match(TimeParameter.parse('2026-01-05'), { ms: Date.UTC(2026, 0, 5), dateOnly: true });
  t.same(messages(TimeParameter, 'yesterday'), [
    'must be an ISO 8601 time, a date (YYYY-MM-DD) or a Unix timestamp between 1970 and 9999',
  ]);
});

t.test('a missing value is reported as required, also one of an enum', async (t) => {
  const schema = z.object({ name: z.string(), kind: z.enum(['a', 'b']) });
  t.same(messages(schema, {}), ['is required', 'is required']);
  t.same(messages(schema, { name: 1, kind: 'c' }), ['must be text', 'must be a or b']);
});
