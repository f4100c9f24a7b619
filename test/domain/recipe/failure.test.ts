import t from 'tap';
import { kept } from '../../../domain/provider/field-table.ts';
import { failureByStatus } from '../../../domain/recipe/failure.ts';
import { readFields } from '../../../domain/recipe/read-fields.ts';

t.test('waits for the last of the windows in which nothing is left', async (t) => {
  const failure = failureByStatus({ remaining: 'x-left', reset: 'x-reset' });
  const waitOf = (headers: Record<string, string>) => {
    const made = failure({ status: 429, headers, text: '' }, 0);
    return made?.kind === 'limited' ? made.waitMs : 'no limit';
  };
  t.strictSame(
    [
      waitOf({ 'x-left': '0, 700, 4100', 'x-reset': '120, 2400, 60000' }),
      waitOf({ 'x-left': '0,0,4100', 'x-reset': '120,600,60000' }),
      waitOf({ 'x-left': '0', 'x-reset': '60' }),
      // A day is waited for in parts of a quarter of an hour.
      waitOf({ 'x-left': '12, 700, 0', 'x-reset': '120, 2400, 60000' }),
      waitOf({ 'x-left': '0, 700', 'x-reset': '120, 2400', 'retry-after': '30' }),
    ],
    [120_000, 600_000, 60_000, 900_000, 30_000],
  );
  t.strictSame(
    [
      waitOf({}),
      waitOf({ 'x-left': '3, 5', 'x-reset': '10, 20' }),
      waitOf({ 'x-left': '0, 0', 'x-reset': 'soon, later' }),
      waitOf({ 'x-reset': '10' }),
    ],
    [null, null, null, null],
  );
});

t.test('a text is the number that means that there is no value', async (t) => {
  const fields = { rate: { ...kept('bpm', 'workout.avg_heart_rate_bpm'), absentAs: [0] } };
  const rateOf = (rate: unknown) => readFields(fields, { rate }).workout?.avg_heart_rate_bpm;
  t.strictSame(['0.0', '0', 0, '', ' ', '141.0', 141].map(rateOf), [
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    141,
    141,
  ]);
});
