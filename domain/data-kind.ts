import { z } from 'zod';

/** The kinds of health values that a route returns, under which its reads are recorded. */
const dataKinds = [
  'timeseries',
  'workouts',
  'sleep',
  'events',
  'days',
  'scores',
  'activity',
  'body',
  'recovery',
  'insights',
  'calendar',
  'streams',
  'export',
  'fhir',
  'settings',
] as const;

/** A kind of health values. */
export const DataKind = z.enum(dataKinds).meta({
  id: 'DataKind',
  description:
    'The kind of data that was read. `events`: events other than workouts and sleep; `streams`: the streams of a workout; `fhir`: Observations and Devices of FHIR; `settings`: the order of sources and the privacy of routes.',
});
export type DataKind = z.infer<typeof DataKind>;
