import t from 'tap';
import { accepts, seriesById, seriesCatalogue, seriesOf, seriesTypes } from '../../domain/records/series.ts';

t.test('lists each type once, with an id of its own', async (t) => {
  t.same(
    seriesTypes,
    seriesCatalogue.map(({ type }) => type),
  );
  t.equal(new Set(seriesTypes).size, seriesCatalogue.length);
  t.equal(new Set(seriesCatalogue.map(({ id }) => id)).size, seriesCatalogue.length);
  t.same(
    seriesCatalogue.filter(({ id, min, max }) => !(id > 0 && id < 32_768 && min < max)),
    [],
  );
});

t.test('keeps stored ids', async (t) => {
  const stored: [id: number, type: (typeof seriesTypes)[number]][] = [
    [1, 'heart_rate'],
    [8, 'oxygen_saturation'],
    [20, 'weight'],
    [31, 'steps'],
    [63, 'environmental_audio_exposure'],
    [75, 'devicemaker_body_battery'],
    [83, 'hydration'],
  ];
  for (const [id, type] of stored) {
    t.equal(seriesById(id).type, type);
    t.equal(seriesOf(type).id, id);
  }
  t.throws(() => seriesById(Math.max(...seriesCatalogue.map(({ id }) => id)) + 1));
});

t.test('each type has a unit and a bucket function', async (t) => {
  t.match(seriesOf('heart_rate'), { unit: 'bpm', bucket: 'mean' });
  t.match(seriesOf('steps'), { unit: 'count', bucket: 'sum' });
  t.match(seriesOf('headphone_audio_exposure'), { unit: 'dB', bucket: 'leq' });
  t.match(seriesOf('weight'), { unit: 'kg', bucket: 'last' });
});

t.test('accepts the closed range and numbers only', async (t) => {
  t.ok(accepts('heart_rate', 1));
  t.ok(accepts('heart_rate', 300));
  t.ok(accepts('water_temperature', -5));
  for (const value of [0.99, 300.01, Number.NaN, Number.POSITIVE_INFINITY, '60', null, undefined]) {
    t.notOk(accepts('heart_rate', value), String(value));
  }
});
