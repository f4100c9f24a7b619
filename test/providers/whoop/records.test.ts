import t from 'tap';
import { types } from '../../../providers/whoop/records.ts';
import { bodies } from '../../fixtures/whoop/bodies.ts';

const nowMs = Date.parse('2026-06-01T00:00:00Z');

function items(name: string, ...list: readonly object[]) {
  const type = types[name];
  if (type === undefined) throw new Error(`no type ${name}`);
  return type.normalise({ records: { list }, span: null, nowMs }).items;
}

t.test('a scored night replaces the stored one, one that is not scored yet does not', async (t) => {
  const [night] = bodies.sleep;
  const made = items('sleep', { ...night }, { ...night, id: 'b', score_state: 'PENDING_SCORE', score: null });
  t.same(
    made.map(({ supersede }) => supersede),
    ['latest', 'sleep'],
  );
});

t.test('a compound is the sport that it names', async (t) => {
  t.match(items('workout', { ...bodies.workout[0], sport_name: 'hiking-rucking' }), [
    { workout: { type: 'hiking', raw_type: 'hiking-rucking', name: 'Hiking rucking' } },
  ]);
});

t.test('a sport without a type of its own keeps its name', async (t) => {
  const [workout] = bodies.workout;
  t.match(items('workout', { ...workout }, { ...workout, id: 'b', sport_name: 'ice-hockey' }), [
    { workout: { type: 'running', raw_type: 'running' } },
    { workout: { type: 'other', raw_type: 'ice-hockey', name: 'Ice hockey' } },
  ]);
});

t.test('weights of which the strain of the muscles is computed are weights', async (t) => {
  t.match(items('workout', { ...bodies.workout[0], sport_name: 'weightlifting_msk' }), [
    { workout: { type: 'strength_training', raw_type: 'weightlifting_msk' } },
  ]);
});

t.test('an offset of `Z` is UTC', async (t) => {
  t.match(items('workout', { ...bodies.workout[0], timezone_offset: 'Z' }), [
    { workout: { zone_offset_minutes: 0 } },
  ]);
});

t.test('the energy of a workout is told in kJ', async (t) => {
  const [workout] = bodies.workout;
  t.match(items('workout', { ...workout, score: { ...workout?.score, kilojoule: 418.4 } }), [
    { workout: { calories_kcal: 100 } },
  ]);
});
