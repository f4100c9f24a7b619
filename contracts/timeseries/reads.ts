import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { CursorParameter, limitUpTo, pageOf } from '../../domain/page.ts';
import { RangeEnd, RangeStart } from '../../domain/time/time.ts';
import { OtherEventType, repeated, UserId, WorkoutTypeName } from '../../domain/wire.ts';
import {
  ListedSleepSession,
  OtherEvent,
  RecordId,
  Resolution,
  Sample,
  SampleInclude,
  SingleSleepSession,
  SingleWorkout,
  SleepInclude,
  TypesParameter,
  Workout,
} from './schemas.ts';

const eventRange = {
  user_id: UserId,
  start_date: RangeStart,
  end_date: RangeEnd,
  cursor: CursorParameter,
  limit: limitUpTo(100),
};

/** Stored health data as the public API returns it. */
export const readActions = {
  samples: action({
    summary: 'Read samples, raw or in buckets',
    description:
      'Samples are sorted oldest first. Buckets are aligned to the UTC epoch, and the timestamp of a bucket is its start. The range is widened to whole buckets. Each source has its own buckets.',
    params: z.object({
      user_id: UserId,
      start_time: RangeStart,
      end_time: RangeEnd,
      types: TypesParameter,
      resolution: Resolution.default('raw'),
      include: repeated(SampleInclude, 10).optional().describe('`zone`: each sample has its `zone_offset`.'),
      cursor: CursorParameter,
      limit: limitUpTo(100),
    }),
    returns: pageOf(Sample).meta({ id: 'TimeseriesPage' }),
    http: {
      method: 'GET',
      path: '/users/:user_id/timeseries',
      access: 'data.read',
      reads: 'timeseries',
      tag: 'Data',
    },
  }),
  workouts: action({
    summary: 'List workouts, newest first',
    params: z.object({
      ...eventRange,
      record_type: WorkoutTypeName.optional().describe('Only workouts of this type.'),
    }),
    returns: pageOf(Workout).meta({ id: 'WorkoutPage' }),
    http: {
      method: 'GET',
      path: '/users/:user_id/events/workouts',
      access: 'data.read',
      reads: 'workouts',
      tag: 'Data',
    },
  }),
  workout: action({
    summary: 'Get one workout',
    params: z.object({ user_id: UserId, event_id: RecordId }),
    returns: SingleWorkout,
    http: {
      method: 'GET',
      path: '/users/:user_id/events/workouts/:event_id',
      access: 'data.read',
      reads: 'workouts',
      tag: 'Data',
    },
  }),
  sleeps: action({
    summary: 'List sleep sessions and naps, newest first',
    params: z.object({
      ...eventRange,
      include: repeated(SleepInclude, 10)
        .optional()
        .describe(
          '`timeline`: each session has its score, validation and stages as intervals. A page then has fewer sessions than `limit` if they have many intervals.',
        ),
    }),
    returns: pageOf(ListedSleepSession).meta({ id: 'SleepSessionPage' }),
    http: {
      method: 'GET',
      path: '/users/:user_id/events/sleep',
      access: 'data.read',
      reads: 'sleep',
      tag: 'Data',
    },
  }),
  sleep: action({
    summary: 'Get one sleep session',
    params: z.object({ user_id: UserId, event_id: RecordId }),
    returns: SingleSleepSession,
    http: {
      method: 'GET',
      path: '/users/:user_id/events/sleep/:event_id',
      access: 'data.read',
      reads: 'sleep',
      tag: 'Data',
    },
  }),
  others: action({
    summary: 'List events that are neither workouts nor sleep, newest first',
    description:
      'Movement that a device detected by itself (`moveiq`), the menstrual cycle (`mct`, one event per day), measurements without confirmation (`unconfirmed_measurement`: `reason` is `ambiguous_user` or `entered_at_sign_up`, `measurements` has type, value and unit), nutrition (`nutrition`: `energy_kcal`, `carbohydrates_g`, `protein_g`, `fat_g` and further nutrients, each with its unit in its name, `meal_id`, `name` and `meal_type`; events with the same `meal_id` are one meal), mindful sessions (`mindfulness`, without data) and observations of the menstrual cycle (`cycle_record`: `observation`, `value`, `is_cycle_start`, `is_protected`). A field that was not sent is absent. None is part of any total.',
    params: z.object({
      ...eventRange,
      type: OtherEventType.optional().describe('Only events of this type.'),
    }),
    returns: pageOf(OtherEvent).meta({ id: 'OtherEventPage' }),
    http: {
      method: 'GET',
      path: '/users/:user_id/events/other',
      access: 'data.read',
      reads: 'events',
      tag: 'Data',
    },
  }),
  other: action({
    summary: 'Get one event that is neither a workout nor a sleep',
    params: z.object({ user_id: UserId, event_id: RecordId }),
    returns: OtherEvent,
    http: {
      method: 'GET',
      path: '/users/:user_id/events/other/:event_id',
      access: 'data.read',
      reads: 'events',
      tag: 'Data',
    },
  }),
};
