import t from 'tap';
import { kept } from '../../../domain/provider/field-table.ts';
import { offsetField } from '../../../domain/recipe/offset-of-times.ts';
import { readFields } from '../../../domain/recipe/read-fields.ts';

const offsetOf = (
  local: unknown,
  utc: unknown = '2026-03-01T12:00:00',
  rules: Partial<Parameters<typeof offsetField>[0]> = {},
) => {
  const fields = {
    local: offsetField({ utc: 'at.utc', stepMinutes: 15, equal: 'unknown', ...rules }),
    'at.utc': kept('ISO 8601', 'start_time'),
  };
  return readFields(fields, { local, at: { utc } }).zone_offset;
};

t.test('the difference between two times of a record is its offset', (t) => {
  for (const [local, minutes] of [
    ['2026-03-01T13:00:00', 60],
    ['2026-03-01 08:30:00', -210],
    ['2026-03-01T17:45:00', 345],
    ['2026-03-02T02:00:00', 840],
    ['2026-03-01T00:00:00', -720],
    ['2026-03-01T14:00:00Z', 120],
  ] as const)
    t.equal(offsetOf(local), minutes, local);
  t.end();
});

t.test('it is rounded, because clocks drift', (t) => {
  t.equal(offsetOf('2026-03-01T13:06:10'), 60);
  t.equal(offsetOf('2026-03-01T13:08:10'), 75);
  t.equal(offsetOf('2026-03-01T13:08:10', undefined, { stepMinutes: 30 }), 60);
  t.strictSame(offsetOf('2026-03-01T11:58:00'), 0);
  t.end();
});

t.test('an offset that the time names counts', (t) => {
  t.equal(offsetOf('2026-03-01T13:00:00+01:00', '2026-03-01T13:00:00+01:00'), 60);
  t.equal(offsetOf('2026-03-01T04:00:00-0800'), -480);
  t.end();
});

t.test('equal times mean what the provider means by them', (t) => {
  t.equal(offsetOf('2026-03-01T12:00:00'), undefined);
  t.equal(offsetOf('2026-03-01T12:00:00', undefined, { equal: 'utc' }), 0);
  t.end();
});

t.test('what is no offset gives none', (t) => {
  for (const local of ['2026-03-02T02:30:00', '2026-02-28T23:00:00', '2016-03-01T12:00:00', 'noon', 12, null])
    t.equal(offsetOf(local), undefined, String(local));
  t.equal(offsetOf('2026-03-01T13:00:00', null), undefined);
  t.end();
});
