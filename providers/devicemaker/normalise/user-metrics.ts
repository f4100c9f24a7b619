import { z } from 'zod';
import { CalendarDate, noonOf } from '../../../domain/time/time.ts';
import { userMetrics } from '../fields/wellness.ts';
import { head, instantReason, isObject, type Normaliser, refused } from './item.ts';
import { sampleItem, valueIn } from './sample-item.ts';
import { singleSample } from './samples.ts';
import { readTimed } from './timed-item.ts';

const UserMetrics = z.object({
  ...head,
  calendarDate: CalendarDate,
  vo2Max: valueIn('vo2_max'),
  vo2MaxCycling: valueIn('vo2_max_cycling'),
  fitnessAge: valueIn('devicemaker_fitness_age'),
});

/** Fitness values of a day. The item has no time of day, so its samples are at 12:00 UTC of the day. */
export const normaliseUserMetrics: Normaliser = (item, nowMs) => {
  const read = readTimed(UserMetrics, ['calendarDate'], atNoon(item), nowMs);
  // The item contains no start: a start that is too far ahead was derived from its date.
  if (!read.ok)
    return read.problems.some(({ reason }) => reason === instantReason)
      ? refused('calendarDate', instantReason)
      : { ok: false, problems: read.problems.filter(({ field }) => field !== 'startTimeInSeconds') };
  const { fields, origin } = read;
  return sampleItem(read, {
    dataType: 'userMetrics',
    fields: userMetrics,
    key: fields.calendarDate,
    supersede: 'latest',
    anyOf: ['vo2Max', 'vo2MaxCycling', 'fitnessAge'],
    samples: [
      singleSample('vo2_max', fields.vo2Max, origin),
      singleSample('vo2_max_cycling', fields.vo2MaxCycling, origin),
      singleSample('devicemaker_fitness_age', fields.fitnessAge, origin),
    ],
  });
};

function atNoon(item: unknown): unknown {
  if (!isObject(item)) return item;
  const date = CalendarDate.safeParse(item.calendarDate);
  return { ...item, startTimeInSeconds: date.success ? noonOf(date.data) / 1000 : null };
}
