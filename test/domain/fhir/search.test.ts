import t from 'tap';
import { observedNames } from '../../../domain/fhir/observed.ts';
import { namesInCategory, namesWithCode } from '../../../domain/fhir/search-codes.ts';
import { dateCondition, daysWithin, mayTouch, satisfies } from '../../../domain/fhir/search-dates.ts';

const day = { date: '2026-03-01', start_ms: Date.UTC(2026, 1, 28, 22), end_ms: Date.UTC(2026, 2, 1, 21, 59) };
const moment = { date: '2026-03-01', start_ms: Date.UTC(2026, 2, 1, 8), end_ms: null };

/** A condition, and whether a day and an instant of it satisfy it. */
const cases: readonly (readonly [string, boolean, boolean])[] = [
  ['2026-03-01', true, true],
  ['eq2026-03', true, true],
  ['2026', true, true],
  ['2026-02', false, false],
  ['ge2026-03-01', true, true],
  ['gt2026-03-01', false, false],
  ['gt2026-02', true, true],
  ['gt2026', false, false],
  ['lt2026', false, false],
  ['le2026-03-01', true, true],
  ['lt2026-03-01', false, false],
  ['lt2026-03-02', true, true],
  ['ge2026-03-01T08:00:00Z', true, true],
  ['ge2026-03-01T08:00:01Z', true, false],
  ['gt2026-03-01T08:00:00Z', true, false],
  ['lt2026-03-01T08:00:00Z', true, false],
  ['le2026-03-01T08:00:00Z', true, true],
  ['2026-03-01T08:00:00Z', false, true],
  ['2026-03-01T10:00:00+02:00', false, true],
  ['2026-03-01T08:00', false, true],
  ['ge2026-03-01T22:00:00Z', false, false],
];

t.test('dates are local days, times are instants', (t) => {
  for (const [text, ofDay, ofMoment] of cases) {
    const condition = dateCondition(text);
    if (condition === null) throw new Error(text);
    t.same([satisfies(day, [condition]), satisfies(moment, [condition])], [ofDay, ofMoment], text);
    const { first, last } = daysWithin([condition]);
    const isWithin = (first === null || day.date >= first) && (last === null || day.date <= last);
    t.ok(isWithin || !(ofDay || ofMoment), `the days of ${text}`);
  }
  t.end();
});

t.test('what is no date', (t) => {
  for (const text of [
    '',
    'yesterday',
    'ne2026-03-01',
    '2026-3-1',
    '2026-02-30',
    'ge',
    '2026-13',
    'ge2026-03-01T25:00:00Z',
  ])
    t.equal(dateCondition(text), null, text);
  t.end();
});

t.test('a month ends with its last day', (t) => {
  t.match(dateCondition('2024-02'), { first: '2024-02-01', last: '2024-02-29' });
  t.match(dateCondition('2026'), { first: '2026-01-01', last: '2026-12-31' });
  t.end();
});

t.test('codes with and without their system, and categories', (t) => {
  t.same(namesWithCode(['http://loinc.org|8867-4']), ['heart_rate']);
  t.same(namesWithCode(['8867-4', '85354-9']), ['heart_rate', 'blood_pressure']);
  t.same(namesWithCode(['urn:pulsebus:observation|heart_rate_variability_rmssd']), [
    'heart_rate_variability_rmssd',
  ]);
  t.same(namesWithCode(['59408-5']), ['oxygen_saturation']);
  t.same(namesWithCode(['urn:other|8867-4', '8480-6']), []);
  t.equal(namesWithCode(['urn:pulsebus:observation|'])?.length, observedNames.length);
  t.equal(namesWithCode(null), null);
  t.ok(namesInCategory(['vital-signs'])?.includes('heart_rate'));
  t.notOk(namesInCategory(['laboratory'])?.includes('heart_rate'));
  t.end();
});

t.test('a changed span touches the local days that some clock gives it', (t) => {
  const noon = Date.UTC(2026, 2, 1, 12);
  t.same(
    ['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02', '2026-03-03'].map((date) =>
      mayTouch(date, noon, noon),
    ),
    [false, true, true, true, false],
  );
  t.end();
});
