import { hundredths, seconds } from '../../day-simulation/counts.ts';
import type { SimulatedDay } from '../../day-simulation/day.ts';
import { heartRateEveryMs } from '../../day-simulation/heart-rate.ts';
import type { Minute } from '../../day-simulation/minutes.ts';
import type { Span } from '../../day-simulation/plan.ts';
import { breathAt, hrvAt, spo2At } from '../../day-simulation/strain.ts';
import { hashOf, noiseOf, randomOf } from '../../simulation/random.ts';
import { addDays, dayNumber, offsetMinutesAt } from '../../simulation/zone.ts';
import { headOf, idOf } from './head.ts';

const minuteMs = 60_000;
const dayLength = 1440 * minuteMs;

/** A weight measurement after getting up, every third day. */
export function bodyComps(day: SimulatedDay, sync: Span) {
  const { traits, seed } = day.user;
  const noise = noiseOf(`${seed}/weight`);
  return measuredAt(day, sync, 3, 24).map((ms) => {
    const kilograms = traits.weight_kg + 0.9 * noise(ms, 12 * dayLength) + 0.4 * noise(ms, dayLength);
    const fat = hundredths(12 + (traits.age_years - 25) * 0.32 + 0.6 * noise(ms, 15 * dayLength));
    return {
      ...measurement(day, ms),
      weightInGrams: Math.round(kilograms * 1000),
      bodyFatInPercent: fat,
      muscleMassInGrams: Math.round(kilograms * (1 - fat / 100) * 520),
      boneMassInGrams: Math.round(kilograms * (1 - fat / 100) * 52),
      bodyWaterInPercent: hundredths((100 - fat) * 0.73),
      bodyMassIndex: hundredths(kilograms / (traits.height_cm / 100) ** 2),
    };
  });
}

/** Two blood pressure readings, a minute apart, once a week. */
export function bloodPressures(day: SimulatedDay, sync: Span) {
  const noise = noiseOf(`${day.user.seed}/pressure`);
  return measuredAt(day, sync, 7, 40)
    .flatMap((ms) => [ms, ms + minuteMs])
    .map((ms) => ({
      ...measurement(day, ms),
      systolic: Math.round(104 + day.user.traits.age_years * 0.4 + 6 * noise(ms, minuteMs)),
      diastolic: Math.round(68 + day.user.traits.age_years * 0.2 + 4 * noise(ms, minuteMs)),
      pulse: Math.round(day.resting_heart_rate_bpm + 9 + 3 * noise(ms, minuteMs)),
      sourceType: 'MANUAL',
    }));
}

function measurement({ user }: SimulatedDay, ms: number) {
  return {
    userId: user.account_id,
    summaryId: idOf(user, ms),
    measurementTimeInSeconds: seconds(ms),
    measurementTimeOffsetInSeconds: offsetMinutesAt(user.traits.zone, ms) * 60,
  };
}

/** Fitness values of a day with a workout. They are sent after the day and have no time of their own. */
export function userMetrics(day: SimulatedDay, sync: Span) {
  if (sync.endMs < day.endMs) return [];
  const { traits, seed, account_id: userId } = day.user;
  const vo2Max =
    Math.round((traits.vo2_max + 1.2 * noiseOf(`${seed}/vo2`)(day.startMs, 9 * dayLength)) * 10) / 10;
  return [
    {
      userId,
      summaryId: `${idOf(day.user, day.startMs)}-metrics`,
      calendarDate: day.date,
      vo2Max,
      vo2MaxCycling: Math.round(vo2Max * 9.4) / 10,
      fitnessAge: Math.max(18, Math.round(traits.age_years - (vo2Max - 38) / 1.6)),
      enhanced: false,
    },
  ];
}

/** A snapshot of two minutes at rest, every fifth day, with values per second. */
export function healthSnapshot(day: SimulatedDay, sync: Span) {
  return measuredAt(day, sync, 5, 55).map((ms) => {
    const { user } = day;
    const { startTimeOffsetInSeconds: offset, ...head } = headOf(user, {
      startMs: ms,
      endMs: ms + 2 * minuteMs,
    });
    const rest: Minute | undefined = day.minutes.find((one) => one.startMs >= ms);
    const tick = Math.floor((ms - day.startMs) / heartRateEveryMs);
    const heart = day.heart_rates[tick] || day.resting_heart_rate_bpm + 8;
    const noise = noiseOf(`${user.seed}/snapshot`);
    const series = (summaryType: string, usual: number, swing: number) =>
      seriesOf(summaryType, (second) => Math.round(usual + swing * noise(ms + second * 1000, 5000)));
    return {
      ...head,
      offsetStartTimeInSeconds: offset,
      calendarDate: day.date,
      summaries: [
        series('heart_rate', heart, 3),
        series('respiration', Math.max(12, rest === undefined ? 15 : breathAt(user, rest)), 1),
        series('stress', 28, 6),
        series('spo2', spo2At(user, ms), 0.6),
        { summaryType: 'rmssd_hrv', avgValue: hrvAt(user, ms) },
        { summaryType: 'sdrr_hrv', avgValue: Math.round(hrvAt(user, ms) * 1.15) },
      ],
    };
  });
}

function seriesOf(summaryType: string, valueAt: (second: number) => number) {
  const values = Array.from({ length: 120 }, (_, second) => valueAt(second));
  return {
    summaryType,
    minValue: Math.min(...values),
    maxValue: Math.max(...values),
    avgValue: hundredths(values.reduce((sum, value) => sum + value, 0) / values.length),
    epochSummaries: Object.fromEntries(values.map((value, second) => [String(second), value])),
  };
}

/** Walks of ten minutes and more that the device detected by itself. */
export function moveiq(day: SimulatedDay, sync: Span) {
  const walks: Span[] = [];
  for (const { startMs, state, worn } of day.minutes) {
    const last = walks.at(-1);
    if (state !== 'walk' || !worn) continue;
    if (last?.endMs === startMs) walks[walks.length - 1] = { ...last, endMs: startMs + minuteMs };
    else walks.push({ startMs, endMs: startMs + minuteMs });
  }
  return walks
    .filter(
      ({ startMs, endMs }) => endMs - startMs >= 10 * minuteMs && endMs > sync.startMs && endMs <= sync.endMs,
    )
    .map((walk) => {
      const { startTimeOffsetInSeconds: offsetInSeconds, ...head } = headOf(day.user, walk);
      return {
        ...head,
        offsetInSeconds,
        calendarDate: day.date,
        activityType: 'Walking',
        activitySubType: 'Casual',
      };
    });
}

/** A day of the menstrual cycle, sent after the day, of users who track it. */
export function mct(day: SimulatedDay, sync: Span) {
  const { traits, seed } = day.user;
  if (traits.cycle_days === null || sync.endMs < day.endMs) return [];
  const dayInCycle = ((dayNumber(day.date) + hashOf(`${seed}/cycle`)) % traits.cycle_days) + 1;
  const phase =
    dayInCycle <= 5
      ? 'MENSTRUATION'
      : dayInCycle <= 12
        ? 'FOLLICULAR'
        : dayInCycle <= 17
          ? 'FERTILE'
          : 'LUTEAL';
  return [
    {
      userId: day.user.account_id,
      summaryId: `${idOf(day.user, day.startMs)}-mct`,
      periodStartDate: addDays(day.date, 1 - dayInCycle),
      dayInCycle,
      periodLength: 5,
      currentPhase: dayInCycle <= 5 ? 1 : dayInCycle <= 12 ? 2 : dayInCycle <= 17 ? 3 : 4,
      currentPhaseType: phase,
      cycleLength: traits.cycle_days,
      predictedCycleLength: traits.cycle_days,
      isPredictedCycle: false,
      fertileWindowStart: 12,
      lengthOfFertileWindow: 6,
      lastUpdatedTimeInSeconds: seconds(day.endMs),
    },
  ];
}

/** The instant of a measurement that is taken every `everyDays` days, some minutes after getting up. */
export function measuredAt(day: SimulatedDay, sync: Span, everyDays: number, minutes: number): number[] {
  const chance = randomOf(`${day.user.seed}/${day.date}/measured/${minutes}`);
  const due = (dayNumber(day.date) + hashOf(`${day.user.seed}/${minutes}`)) % everyDays === 0;
  const ms = day.plans[1].sleep.endMs + (minutes + chance.whole(-3, 3)) * minuteMs;
  return due && ms > sync.startMs && ms <= Math.min(sync.endMs, day.endMs) ? [ms] : [];
}
