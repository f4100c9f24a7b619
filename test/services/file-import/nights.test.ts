import t from 'tap';
import { openFile } from '../../../services/file-import/rules/read-file.ts';
import { appleExport, iphone, record } from './importing.ts';

const context = { nowMs: Date.parse('2026-06-01'), rules: null, timeZone: null, skip: 0 };
const time = (day: number, clock: string) => `2026-03-0${day} ${clock}:00 +0100`;
const phase = (stage: string, from: string, to: string, source = {}) =>
  record('HKCategoryTypeIdentifierSleepAnalysis', from, to, {
    ...source,
    value: `HKCategoryValueSleepAnalysis${stage}`,
  });

/** The nights of an export: device, start, end, and the minutes asleep. */
async function nightsOf(phases: readonly string[]): Promise<string[]> {
  const file = Buffer.from(appleExport(phases));
  const nights: string[] = [];
  for await (const batch of (
    await openFile({ length: file.length, from: async (at) => file.subarray(at) }, context)
  ).batches)
    for (const { sleeps } of batch?.items.flat() ?? [])
      for (const { device, start_ms, end_ms, asleep_seconds } of sleeps ?? [])
        nights.push(
          [
            device,
            ...[start_ms, end_ms].map((ms) => new Date(ms).toISOString().slice(8, 16)),
            `${(asleep_seconds ?? 0) / 60}`,
          ].join(' '),
        );
  return nights;
}

const stages = [
  phase('AsleepCore', time(2, '23:10'), time(3, '02:10')),
  phase('AsleepDeep', time(3, '02:10'), time(3, '03:10')),
];

t.test('the time in bed of a phone is that of the night whose stages a watch has', async (t) => {
  const inBed = phase('InBed', time(2, '22:30'), time(3, '07:00'), iphone);
  const whole = ['Apple Watch 02T21:30 03T06:00 240'];
  t.same(await nightsOf([...stages, inBed]), whole);
  t.same(await nightsOf([inBed, ...stages]), whole, 'in any order');
  t.same(await nightsOf(stages), ['Apple Watch 02T22:10 03T02:10 240']);
});

t.test('a time in bed that touches several nights, or none, changes none', async (t) => {
  const second = phase('AsleepCore', time(3, '04:10'), time(3, '06:10'));
  const inBed = phase('InBed', time(2, '22:30'), time(3, '07:00'), iphone);
  t.same(await nightsOf([...stages, second, inBed]), [
    'Apple Watch 02T22:10 03T02:10 240',
    'Apple Watch 03T03:10 03T05:10 120',
  ]);
  const other = phase('InBed', time(4, '22:30'), time(5, '06:00'), iphone);
  t.same((await nightsOf([...stages, other])).length, 2);
});
