import t from 'tap';
import { loadConfig } from '../../../config.ts';
import { dayMs } from '../../../domain/time/time.ts';
import { devicemaker } from '../../../providers/devicemaker/provider.ts';
import { lastDays, planSteps } from '../../../services/backfill/rules/plan.ts';

const endMs = Date.UTC(2026, 5, 30, 12);
const daysBefore = (days: number) => endMs - days * dayMs;

t.test('75 days are three spans a type, the newest first, one type after another', async (t) => {
  t.same(planSteps(['dailies', 'sleeps'], lastDays(75, endMs), 30 * dayMs), [
    { type: 'dailies', startMs: daysBefore(30), endMs },
    { type: 'dailies', startMs: daysBefore(60), endMs: daysBefore(30) },
    { type: 'dailies', startMs: daysBefore(75), endMs: daysBefore(60) },
    { type: 'sleeps', startMs: daysBefore(30), endMs },
    { type: 'sleeps', startMs: daysBefore(60), endMs: daysBefore(30) },
    { type: 'sleeps', startMs: daysBefore(75), endMs: daysBefore(60) },
  ]);
});

t.test('30 days are one span, 31 are two, a day is one', async (t) => {
  const lengths = (days: number) =>
    planSteps(['hrv'], lastDays(days, endMs), 30 * dayMs).map((step) => (step.endMs - step.startMs) / dayMs);
  t.same(lengths(30), [30]);
  t.same(lengths(31), [30, 1]);
  t.same(lengths(1), [1]);
  t.equal(lengths(3650).length, 122);
});

t.test('a range is in whole seconds', async (t) => {
  t.same(lastDays(1, endMs + 999), { startMs: endMs - dayMs, endMs });
});

t.test('the device maker is asked in seconds', async (t) => {
  const { url } = devicemaker.backfill;
  const { searchParams } = url(loadConfig({}), {
    type: 'dailies',
    startMs: 1_767_225_600_000,
    endMs: 1_767_312_000_000,
  });
  t.same(Object.fromEntries(searchParams), {
    summaryStartTimeInSeconds: '1767225600',
    summaryEndTimeInSeconds: '1767312000',
  });
});
