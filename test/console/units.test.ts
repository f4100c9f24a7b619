import './browser-globals.ts';
import t from 'tap';
import { componentText, scoreText } from '../../console/src/parts/person/score-text.ts';
import { kindsOf, rangeNamed, sumText } from '../../console/src/parts/person/workouts/list.ts';
import { meanMotion, motionOf } from '../../console/src/parts/person/workouts/motion.ts';
import * as units from '../../console/src/units.ts';

const both = (show: (of: units.Units) => string) => [show('metric'), show('imperial')];

t.test('lengths, weights, temperatures and speeds are shown in both systems', async (t) => {
  t.strictSame(
    both((of) => units.distance(5000, of)),
    ['5 km', '3.11 mi'],
  );
  t.strictSame(
    both((of) => units.elevation(100, of)),
    ['100 m', '328 ft'],
  );
  t.strictSame(
    both((of) => units.weight(70.5, of)),
    ['70.5 kg', '155.4 lb'],
  );
  t.strictSame(
    both((of) => units.temperature(36.6, of)),
    ['36.6 °C', '97.9 °F'],
  );
  t.strictSame(
    both((of) => units.pace(300, of)),
    ['5:00 min/km', '8:03 min/mi'],
  );
  t.strictSame(
    both((of) => units.swimPace(1000, of)),
    ['1:40 min/100 m', '1:31 min/100 yd'],
  );
  t.strictSame(
    both((of) => units.speed(10, of)),
    ['36 km/h', '22.4 mph'],
  );
  t.strictSame(
    both((of) => units.bodyHeight(180, of)),
    ['180 cm', '5 ft 11 in'],
  );
});

t.test('a choice of units is kept, and the texts follow it', async (t) => {
  units.chooseUnits('imperial');
  t.equal(localStorage.getItem('pulsebus.units'), 'imperial');
  t.equal(units.distance(1609.344), '1 mi');
  units.chooseUnits('metric');
  t.equal(units.distance(1609.344), '1.61 km');
});

t.test('pace is of those on foot and in the water, and speed of the others', async (t) => {
  const texts = (['running', 'swimming', 'cycling', 'rowing'] as const).map((type) =>
    meanMotion({ type, avg_pace_sec_per_km: 400 }),
  );
  t.strictSame(texts, ['6:40 min/km', '0:40 min/100 m', '9 km/h', '9 km/h']);
  t.equal(meanMotion({ type: 'yoga', avg_pace_sec_per_km: null }), null);
  t.equal(motionOf('running').convert(0), null, 'a stop has no pace');
});

t.test('a list of workouts is counted by kind and added up', async (t) => {
  const run = { type: 'running', distance_meters: 5000, duration_seconds: 1800 } as const;
  const yoga = { type: 'yoga', distance_meters: null, duration_seconds: 3600 } as const;
  t.strictSame(kindsOf([yoga, run, run]), [
    { type: 'running', count: 2 },
    { type: 'yoga', count: 1 },
  ]);
  t.equal(sumText([run, run, yoga]), '3 workouts, 10 km in 2 h.');
  t.equal(sumText([yoga]), '1 workout, 1 h.');
  t.equal(sumText(Array.from({ length: 60 }, () => yoga)), '60 workouts, 60 h.');
  t.strictSame([rangeNamed('1y').days, rangeNamed(null).days, rangeNamed('x').days], [365, 90, 90]);
});

t.test('a score is its value and its word, and a component in seconds is a duration', async (t) => {
  t.equal(scoreText({ value: 71.52, label: 'FAIR_ENOUGH' }), '71.5, fair enough');
  t.equal(scoreText({ value: null, label: 'solid' }), 'solid');
  t.equal(scoreText({ value: null, label: null }), '');
  t.equal(componentText('rest_stress_seconds', 46_260), 'rest stress: 12 h 51 min');
  t.equal(componentText('hrv_balance', 81), 'hrv balance: 81');
  t.equal(componentText('sleep_regularity', 'good'), 'sleep regularity: good');
  t.equal(componentText('steps', null), 'steps: none');
});
