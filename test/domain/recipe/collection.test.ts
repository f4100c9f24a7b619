import t from 'tap';
import { kept } from '../../../domain/provider/field-table.ts';
import { type Collection, pulledCollections } from '../../../domain/recipe/collection.ts';

const readings: Collection = {
  device: 'Sensor',
  scopes: [],
  longestSpanDays: 30,
  recentDays: 2,
  read: { path: '/readings', records: null, span: { start: 'from', end: 'to', form: 'instant' } },
  fields: { at: kept('ISO 8601', 'start_time'), value: kept('mg/dL', 'series.blood_glucose') },
};

const sweepsOf = (cadence: Partial<Collection>) =>
  pulledCollections({ readings: { ...readings, ...cadence } }).readings?.sweeps;

t.test('a collection is read by its cadences', (t) => {
  const [hourMs, dayMs] = [3_600_000, 86_400_000];
  t.same(sweepsOf({ sweepDays: 30 }), [{ everyMs: dayMs, days: 30 }]);
  t.same(sweepsOf({ polls: [{ everyHours: 1, days: 3 }], sweepDays: 30 }), [
    { everyMs: hourMs, days: 3 },
    { everyMs: dayMs, days: 30 },
  ]);
  t.same(sweepsOf({ polls: [{ everyHours: 6, days: 2 }] }), [{ everyMs: 6 * hourMs, days: 2 }]);
  t.end();
});
