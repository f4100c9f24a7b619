import { z } from 'zod';
import { Extra } from '../provider/extra.ts';
import { CalendarDate } from '../time/time.ts';

const Count = z.int().nonnegative();
const Measure = z.number();
const Level = z.number().min(0).max(100);

/** A change of the body battery that the provider explains by an activity. */
const BodyBatteryEvent = z
  .object({
    type: z.string().max(60),
    start_time: z.string().meta({ format: 'date-time' }),
    duration_seconds: z.int(),
    impact: z.number(),
  })
  .meta({ id: 'BodyBatteryEvent', description: 'A change of the body battery by an activity.' });

/** The most events of a day. */
export const mostBatteryEvents = 40;

/** Values of a local day that neither the series catalogue nor a summary has. A value that was not sent is absent. */
export const DayValues = z
  .object({
    average_stress_level: Level,
    max_stress_level: Level,
    stress_seconds: Count,
    rest_stress_seconds: Count,
    activity_stress_seconds: Count,
    low_stress_seconds: Count,
    medium_stress_seconds: Count,
    high_stress_seconds: Count,
    stress_qualifier: z.string().max(60),
    body_battery_charged: Count,
    body_battery_drained: Count,
    body_battery_events: z.array(BodyBatteryEvent).max(mostBatteryEvents),
    steps_goal: Count,
    floors_climbed_goal: Count,
    intensity_goal_seconds: Count,
    pushes_goal: Count,
    net_calories_goal_kcal: Measure,
    consumed_calories_kcal: Measure,
    pushes: Count,
    push_distance_meters: Measure,
    resting_heart_rate_bpm: Measure,
    light_activity_seconds: Count,
    heart_rate_zone_seconds: z
      .array(Count.nullable())
      .max(10)
      .describe("Seconds in each zone of the heart rate, lowest first, by the provider's own limits."),
    hrv_night_average_ms: Measure.describe('The mean heart rate variability (RMSSD) of a night.'),
    hrv_night_high_5min_ms: Measure.describe('The highest mean of five minutes of a night (RMSSD).'),
  })
  .partial()
  .meta({
    id: 'DayValues',
    description:
      'Values of a local day that neither a series nor a summary has. A value that the provider did not send is absent.',
  });

export type DayValues = z.infer<typeof DayValues>;

/** The day-level values of an item. `date` is null if the item has neither the day nor its offset. */
export const DayValuesRecord = z.object({
  date: CalendarDate.nullable(),
  start_ms: z.int(),
  duration_seconds: Count,
  zone_offset_minutes: z.int().min(-1080).max(1080).nullable(),
  device: z.string().min(1).max(100),
  values: DayValues,
  extra: Extra,
});

export type DayValuesRecord = z.infer<typeof DayValuesRecord>;
