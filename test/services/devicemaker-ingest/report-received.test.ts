import t from 'tap';
import { dataTypeOf } from '../../../providers/devicemaker/data-types.ts';
import {
  addUp,
  receivedByEntries,
  startMsOf,
} from '../../../services/devicemaker-ingest/work/report-received.ts';

const one = { connection_id: 'c', user_id: 'u', type: 'dailies', items: 1, saved: 0 };
const at = (ms: number | null) => ({ first_start_ms: ms, last_start_ms: ms });

t.test('the items of a delivery are reported once per type and connection', async (t) => {
  const brought = [
    { ...one, ...at(30) },
    { ...one, ...at(null), saved: 1 },
    { ...one, ...at(10), items: 2 },
    { ...one, ...at(50), type: 'sleeps' },
    { ...one, ...at(null), connection_id: 'd' },
  ];
  t.same(addUp(brought), [
    { ...one, items: 4, saved: 1, first_start_ms: 10, last_start_ms: 30 },
    { ...one, ...at(50), type: 'sleeps' },
    { ...one, ...at(null), connection_id: 'd' },
  ]);
});

t.test('the start of an item is found in either field', async (t) => {
  t.equal(startMsOf({ startTimeInSeconds: 1_700_000_000 }), 1_700_000_000_000);
  t.equal(startMsOf({ measurementTimeInSeconds: 1_700_000_000 }), 1_700_000_000_000);
  t.equal(startMsOf({ summary: { startTimeInSeconds: 1_700_000_000 } }), 1_700_000_000_000);
  for (const item of [
    { startTimeInSeconds: 1e300 },
    { startTimeInSeconds: -1 },
    { startTimeInSeconds: 'x' },
    {},
    7,
  ])
    t.equal(startMsOf(item), null);
});

t.test('entries that were not stored count as not saved', async (t) => {
  const type = dataTypeOf('dailies');
  if (type === undefined) throw new Error('there is no such type');
  const entry = (status: 'saved' | 'duplicate' | 'validation_error' | null) => ({
    ...{ key: 'dailies', type, index: 0, item: { startTimeInSeconds: 60 }, providerUserId: 'p' },
    ...{
      linkedUser: { connection_id: 'c', user_id: 'u', connectedMs: 0 },
      status,
      isLeft: false,
      recordIds: [],
      problems: [],
    },
  });
  const entries = [entry('saved'), entry('duplicate'), entry('validation_error'), entry(null)];
  const stranger = { ...entry('saved'), linkedUser: null };
  t.same(receivedByEntries([...entries, stranger]), [
    { ...one, saved: 1, ...at(60_000) },
    { ...one, saved: 0, ...at(60_000) },
  ]);
});
