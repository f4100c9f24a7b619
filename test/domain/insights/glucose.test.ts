import t from 'tap';
import { glucoseReportOf } from '../../../domain/insights/glucose.ts';
import { same } from './same.ts';

const eight = [60, 90, 110, 130, 150, 185, 260, 100];
const values = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    mgPerDl: eight[index % 8] ?? 0,
    minuteOfDay: (index % 96) * 15,
  }));

t.test('the example of docs/insights/glucose.md', async (t) => {
  const { value, reason, confidence } = glucoseReportOf(values(14 * 96), 15);
  const { hours = [], cvPercent = 0, ...rest } = value ?? {};
  t.same([reason, confidence], [null, 1]);
  const whole = {
    ...{ meanMgPerDl: 135.625, gmiPercent: 6.55415, below54Percent: 0, from54To69Percent: 12.5 },
    ...{ from70To180Percent: 62.5, from181To250Percent: 12.5, above250Percent: 12.5 },
  };
  t.ok(same(rest, whole), JSON.stringify(rest));
  // 168 times each of the eight: squares of the distances 168 x 27,871.875, divided by 1,343.
  t.ok(same(cvPercent, (100 * Math.sqrt((168 * 27_871.875) / 1343)) / 135.625), String(cvPercent));
  t.same(hours[0], [60, 82.5, 100, 115, 130]);
  t.equal(hours.length, 24);
});

t.test('bounds of the ranges belong to the range, and less than 70 percent is no report', async (t) => {
  const at = (mgPerDl: number) => Array.from({ length: 1000 }, () => ({ mgPerDl, minuteOfDay: 61 }));
  const report = (mgPerDl: number) => glucoseReportOf(at(mgPerDl), 15).value;
  t.equal(report(70)?.from70To180Percent, 100);
  t.equal(report(180)?.from70To180Percent, 100);
  t.equal(report(69.9)?.from54To69Percent, 100);
  t.equal(report(53.9)?.below54Percent, 100);
  t.equal(report(250)?.from181To250Percent, 100);
  t.equal(report(250.1)?.above250Percent, 100);
  t.same(report(100)?.hours.slice(0, 2), [null, [100, 100, 100, 100, 100]]);
  t.match(glucoseReportOf(values(940), 15), { value: null, reason: 'too_little_coverage' });
});
