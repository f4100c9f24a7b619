import t from 'tap';
import type { PhoneRecord } from '../../../providers/phone/normalise/record.ts';
import { blocksOf } from '../../../providers/phone/store/calls.ts';
import { SampleColumns } from '../../../services/file-import/rules/batch.ts';

const sample = (start_ms: number, value: number, fields: Partial<PhoneRecord> = {}): PhoneRecord => ({
  ...{ kind: 'sample', id: '', series: 'heart_rate', start_ms, end_ms: start_ms, value },
  ...{
    zone_offset_minutes: 60,
    source: { device: 'Watch', device_type: 'watch', device_id: null, app: null },
  },
  ...fields,
});

const phone = { device: 'Phone', device_type: 'phone', device_id: null, app: null } as const;

const cases: Readonly<Record<string, readonly PhoneRecord[]>> = {
  'none at all': [],
  'in the order of time': [sample(1000, 60), sample(2000, 61), sample(5000, 62)],
  'out of order': [sample(5000, 62), sample(1000, 60), sample(2000, 61)],
  'several at one instant': [sample(1000, 60), sample(1000, 61), sample(500, 59), sample(1000, 63)],
  'of several series in turn': [
    ...[sample(1000, 60), sample(1000, 70, { source: phone }), sample(2000, 61)],
    ...[sample(2000, 80, { series: 'weight' }), sample(3000, 62, { zone_offset_minutes: null })],
    ...[sample(4000, 71, { source: phone }), sample(3000, 63)],
  ],
};

t.test('samples that are gathered as columns are the blocks that their records give', async (t) => {
  for (const [title, records] of Object.entries(cases)) {
    const columns = new SampleColumns();
    for (const record of records) columns.add(record);
    const expected = blocksOf(records).map(({ block }) => block);
    t.same(JSON.stringify(columns.blocks()), JSON.stringify(expected), title);
  }
});
