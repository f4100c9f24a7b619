import t from 'tap';
import { createUser, startApi } from '../../support/api.ts';
import { appleExport, importFile, record } from './importing.ts';

const api = await startApi(t, { SANDBOX: 'off' });
const entered = '<MetadataEntry key="HKWasUserEntered" value="1"/>';

t.test('records become samples with their offsets, sources and units', async (t) => {
  const userId = await createUser(api);
  const done = await importFile(
    api,
    userId,
    appleExport([
      record('HeartRate', '07:00:00', '07:00:00', { unit: 'count/min', value: 61 }),
      record('BodyMass', '07:10:00', '07:10:00', { unit: 'lb', value: 154 }, [entered]),
      record('OxygenSaturation', '07:20:00', '07:20:00', { unit: '%', value: 0.97 }),
    ]),
  );
  t.match(done, { state: 'done', kind: 'apple_health', items: 4, error: null });
  t.same(done.counts, { heart_rate: 1, weight: 1, oxygen_saturation: 1 });
  t.same([done.start_time, done.end_time], ['2026-03-02T06:00:00Z', '2026-03-02T06:20:00Z']);
  const types = 'types=heart_rate&types=weight&types=oxygen_saturation';
  const range = 'start_time=2026-03-02T00:00:00Z&end_time=2026-03-03T00:00:00Z';
  const source = { provider: 'file', device: 'Apple Watch' };
  t.match(await api.expect(200, `/users/${userId}/timeseries?${types}&${range}`), {
    data: [
      { timestamp: '2026-03-02T06:00:00Z', type: 'heart_rate', value: 61, source },
      { type: 'weight', value: 69.853_224_98, source, recording_method: 'manual' },
      { type: 'oxygen_saturation', value: 97, source },
    ],
  });
});
