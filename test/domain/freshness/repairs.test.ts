import t from 'tap';
import { nextRepairMs } from '../../../domain/freshness/repairs.ts';
import { hourMs } from '../../../domain/time/time.ts';

const lastMs = Date.UTC(2026, 5, 1);
const hours = (ms: number) => (ms - lastMs) / hourMs;

t.test('late data is fetched three times within hours, then once a day', async (t) => {
  const at: number[] = [];
  let repairedMs: number | null = null;
  for (let repairs = 0; repairs < 6; repairs++) {
    repairedMs = nextRepairMs({ repairs, repairedMs, lastMs, expectedMs: 24 * hourMs });
    at.push(hours(repairedMs));
  }
  t.same(at, [30, 31, 35, 59, 83, 107]);
});

t.test('a new lateness is not fetched before its time because of an old repair', async (t) => {
  const repairedMs = lastMs - 100 * hourMs;
  t.equal(hours(nextRepairMs({ repairs: 0, repairedMs, lastMs, expectedMs: 24 * hourMs })), 30);
});
