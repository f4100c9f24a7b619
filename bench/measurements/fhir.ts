import { randomUUID } from 'node:crypto';
import { dayMs, localDate } from '../../domain/time/time.ts';
import { insertWearers } from '../dataset/insert-wearers.ts';
import type { Measurement } from '../measurement.ts';
import { targetOf } from '../requests.ts';

const dateOf = (daysAgo: number) => localDate(Date.now() - daysAgo * dayMs, 0);

/** Pages of Observations against our own pages of the same data. */
export const fhir: Measurement = {
  name: 'fhir',
  title: 'FHIR',
  hasOwnData: true,
  isOnDemand: true,
  async *lines(bench) {
    const { days } = bench.sizes.fhir;
    yield `Median time of an answer over one connection, of a user with ${days} days of nights, heart rate variability each 5 minutes of the night, steps each minute, and a run at 1 Hz every second day. A: a page of Observations. B: a page of our own.`;
    const { product, pool } = await bench.startEmpty('fhir');
    const id = randomUUID();
    await insertWearers(pool, [id], days, 'full');
    const own = (path: string) => targetOf(product, `/users/${id}/${path}`);
    const observations = (query: string) => targetOf(product, `/fhir/Observation?patient=${id}&${query}`);
    const range = `start_time=${dateOf(days)}&end_time=${dateOf(0)}`;
    yield {
      what: '100 values of a sparse series',
      times: [
        observations('code=40443-4&_sort=date&_count=100'),
        own(`timeseries?${range}&types=resting_heart_rate&limit=100`),
      ],
      goal: { most: 2 },
    };
    yield {
      what: 'a day of steps each minute (B: 100 of them)',
      times: [
        observations(`code=55423-8&date=${dateOf(2)}`),
        own(`timeseries?start_time=${dateOf(2)}&end_time=${dateOf(2)}&types=steps&limit=100`),
      ],
    };
    yield {
      what: '100 Observations of all kinds (B: 100 samples of all)',
      times: [observations('_count=100'), own(`timeseries?${range}&limit=100`)],
    };
    await product.stop();
  },
};
