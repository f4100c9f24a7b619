import t from 'tap';
import { dataTypes } from '../../../providers/googlehealth/data-types.ts';

t.test('the end of a session leads to a read of the session', async (t) => {
  const [startMs, endMs] = [Date.UTC(2026, 2, 2, 17, 15), Date.UTC(2026, 2, 2, 17, 30)];
  for (const name of ['exercise', 'sleep'])
    t.same(dataTypes[name]?.widen?.({ startMs, endMs }), {
      startMs: Date.UTC(2026, 2, 1, 17),
      endMs: Date.UTC(2026, 2, 2, 18),
    });
});
