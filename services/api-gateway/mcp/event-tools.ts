import { z } from 'zod';
import { WorkoutTypeName } from '../../../domain/wire.ts';
import { endpointOf } from '../endpoints.ts';
import { cursorOf, pageOf, readBounded } from './bounded-answer.ts';
import { tableOf } from './table.ts';
import { tool } from './tool.ts';
import { eventRange, mostItems } from './tool-fields.ts';

const mostEvents = 400;
const show = (records: readonly object[]) => tableOf(records.map((record) => ({ ...record })));

/** Workouts and sleep sessions. */
export const eventTools = [
  tool({
    name: 'list_workouts',
    title: 'List workouts',
    description:
      'Workouts that start in a range, newest first: type, name, start and end, duration in seconds, energy in kcal, distance in meters, average and highest heart rate in bpm, pace in seconds per km, elevation gain in meters. `name` was entered by the user.',
    endpoint: endpointOf('timeseries.workouts'),
    params: z.object({
      ...eventRange,
      record_type: WorkoutTypeName.optional().describe('Only workouts of this type.'),
      limit: mostItems(mostEvents),
    }),
    run: ({ limit = mostEvents, cursor, ...args }, call) => {
      const read = async (size: number, at: string | undefined) =>
        pageOf(await call('timeseries.workouts', { ...args, limit: size, ...cursorOf(at) }));
      return readBounded({ limit, pageLimit: 100, cursor, read, show });
    },
  }),
  tool({
    name: 'list_sleep_sessions',
    title: 'List sleep sessions',
    description:
      'Single nights and naps that start in a range, newest first, also those of several devices: start and end, time asleep in seconds, efficiency in percent, minutes of each stage, `is_nap`. For one value per night use sleep_summaries.',
    endpoint: endpointOf('timeseries.sleeps'),
    params: z.object({ ...eventRange, limit: mostItems(mostEvents) }),
    run: ({ limit = mostEvents, cursor, ...args }, call) => {
      const read = async (size: number, at: string | undefined) =>
        pageOf(await call('timeseries.sleeps', { ...args, limit: size, ...cursorOf(at) }));
      return readBounded({ limit, pageLimit: 100, cursor, read, show });
    },
  }),
];
