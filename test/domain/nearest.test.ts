import t from 'tap';
import { editDistance, misspelledName, nearestNames } from '../../domain/nearest.ts';
import { seriesTypes } from '../../domain/records/series.ts';

t.test('counts insertions, deletions and replacements', async (t) => {
  const cases: [string, string, number][] = [
    ['', '', 0],
    ['', 'abc', 3],
    ['abc', '', 3],
    ['types', 'types', 0],
    ['type', 'types', 1],
    ['typos', 'types', 1],
    ['stpes', 'steps', 2],
    ['kitten', 'sitting', 3],
  ];
  for (const [a, b, distance] of cases) {
    t.equal(editDistance(a, b), distance, `${a}, ${b}`);
    t.equal(editDistance(b, a), distance, `${b}, ${a}`);
  }
});

t.test('finds similar names of mistyped and of wrongly remembered ones', async (t) => {
  t.same(nearestNames('stpes', seriesTypes, 1), ['steps']);
  t.same(nearestNames('heartRate', seriesTypes, 1), ['heart_rate']);
  t.same(nearestNames('distance', seriesTypes, 3), [
    'distance_other',
    'distance_cycling',
    'distance_swimming',
  ]);
  t.same(nearestNames('resting_hr', seriesTypes, 1), ['resting_heart_rate']);
  t.equal(nearestNames('x'.repeat(1_000_000), seriesTypes, 3).length, 3);
  t.same(nearestNames('a', [], 3), []);
});

t.test('distinguishes a misspelling from another word', async (t) => {
  const names = ['start_time', 'end_time', 'types', 'cursor', 'limit', 'id'];
  const cases: [string, string | null][] = [
    ['type', 'types'],
    ['Limit', 'limit'],
    ['startTime', 'start_time'],
    ['START-TIME', 'start_time'],
    ['curser', 'cursor'],
    ['limit[]', 'limit'],
    ['limit', null],
    ['limitless', null],
    ['page', null],
    ['_', null],
    ['v', null],
    ['', null],
    ['ix', 'id'],
    ['xy', null],
  ];
  for (const [text, name] of cases) t.equal(misspelledName(text, names), name, text);
  t.equal(misspelledName('x', []), null);
});
