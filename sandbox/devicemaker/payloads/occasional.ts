import { hundredths, seconds } from '../../life/counts.ts';
import type { DayLife } from '../../life/day.ts';
import { heartRateEveryMs } from '../../life/heart-rate.ts';
import type { Minute } from '../../life/minutes.ts';
import type { Span } from '../../life/plan.ts';
import { breathAt, hrvAt, spo2At } from '../../life/strain.ts';
import { hashOf, noiseOf, randomOf } from '../../random.ts';
import { addDays, dayNumber, offsetMinutesAt } from '../../zone.ts';
import { headOf, idOf } from './head.ts';

const minuteMs = 60_000;
const dayLength = 1440 * minuteMs;

/** A look at the scales after getting up, every third day. */
export function bodyComps(day: DayLife, sync: Span) {
  const { traits, seed } = day.person;
  const noise = noiseOf(`${seed}/weight`);
  return measuredAt(day, sync, 3, 24).map((ms) => {
    const kilograms = traits.weight_kg + 0.9 * noise(ms, 12 * dayLength) + 0.4 * noise(ms, dayLength);
    const fat = hundredths(12 + (traits.age_years - 25) * 0.32 + 0.6 * noise(ms, 15 * dayLength));
    return {
      ...measurement(day, ms),
      weightInGrams: Math.round(kilograms * 1000),
      bodyFatInPercent: fat,
      muscleMassInGrams: Math.round(kilograms * (1 - fat / 100) * 520),
      bodyMassIndex: hundredths(kilograms / (traits.height_cm / 100) ** 2),
    };
  });
}

/** The cuff, once a week: two readings a minute apart. */
export function bloodPressures(day: DayLife, sync: Span) {
  const noise = noiseOf(`${day.person.seed}/pressure`);
  return measuredAt(day, sync, 7, 40)
    .flatMap((ms) => [ms, ms + minuteMs])
    .map((ms) => ({
      ...measurement(day, ms),
      systolic: Math.round(104 + day.person.traits.age_years * 0.4 + 6 * noise(ms, minuteMs)),
      diastolic: Math.round(68 + day.person.traits.age_years * 0.2 + 4 * noise(ms, minuteMs)),
      pulse: Math.round(day.resting_heart_rate_bpm + 9 + 3 * noise(ms, minuteMs)),
      sourceType: 'MANUAL',
    }));
}

function measurement({ person }: DayLife, ms: number) {
  return {
    userId: person.account_id,
    summaryId: idOf(person, ms),
    measurementTimeInSeconds: seconds(ms),
    measurementTimeOffsetInSeconds: offsetMinutesAt(person.traits.zone, ms) * 60,
  };
}

/** What a day of training says of fitness; it comes when the day is over and has no time of its own. */
export function userMetrics(day: DayLife, sync: Span) {
  if (sync.endMs < day.endMs) return [];
  const { traits, seed, account_id: userId } = day.person;
  const vo2Max =
    Math.round((traits.vo2_max + 1.2 * noiseOf(`${seed}/vo2`)(day.startMs, 9 * dayLength)) * 10) / 10;
  return [
    {
      userId,
      summaryId: `${idOf(day.person, day.startMs)}-metrics`,
      calendarDate: day.date,
      vo2Max,
      fitnessAge: Math.max(18, Math.round(traits.age_years - (vo2Max - 38) / 1.6)),
      enhanced: false,
    },
  ];
}

/** Two minutes of holding still, every fifth day, second by second. */
export function healthSnapshot(day: DayLife, sync: Span) {
  return measuredAt(day, sync, 5, 55).map((ms) => {
    const { person } = day;
    const { startTimeOffsetInSeconds: offset, ...head } = headOf(person, {
      startMs: ms,
      endMs: ms + 2 * minuteMs,
    });
    const rest: Minute | undefined = day.minutes.find((one) => one.startMs >= ms);
    const tick = Math.floor((ms - day.startMs) / heartRateEveryMs);
    const heart = day.heart_rates[tick] || day.resting_heart_rate_bpm + 8;
    const noise = noiseOf(`${person.seed}/snapshot`);
    const series = (summaryType: string, usual: number, swing: number) =>
      seriesOf(summaryType, (second) => Math.round(usual + swing * noise(ms + second * 1000, 5000)));
    return {
      ...head,
      offsetStartTimeInSeconds: offset,
      calendarDate: day.date,
      summaries: [
        series('heart_rate', heart, 3),
        series('respiration', Math.max(12, rest === undefined ? 15 : breathAt(person, rest)), 1),
        series('stress', 28, 6),
        series('spo2', spo2At(person, ms), 0.6),
        { summaryType: 'rmssd_hrv', avgValue: hrvAt(person, ms) },
        { summaryType: 'sdrr_hrv', avgValue: Math.round(hrvAt(person, ms) * 1.15) },
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

/** Walks of ten minutes and more that nobody pressed start for. */
export function moveiq(day: DayLife, sync: Span) {
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
      const { startTimeOffsetInSeconds: offsetInSeconds, ...head } = headOf(day.person, walk);
      return {
        ...head,
        offsetInSeconds,
        calendarDate: day.date,
        activityType: 'Walking',
        activitySubType: 'Casual',
      };
    });
}

/** Where somebody stands in their cycle, sent when a day is over, of those who track one. */
export function mct(day: DayLife, sync: Span) {
  const { traits, seed } = day.person;
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
      userId: day.person.account_id,
      summaryId: `${idOf(day.person, day.startMs)}-mct`,
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

/** The instant of a measurement of this day that is taken every so many days, some minutes after getting up. */
function measuredAt(day: DayLife, sync: Span, everyDays: number, minutes: number): number[] {
  const chance = randomOf(`${day.person.seed}/${day.date}/measured/${minutes}`);
  const due = (dayNumber(day.date) + hashOf(`${day.person.seed}/${minutes}`)) % everyDays === 0;
  const ms = day.plans[1].sleep.endMs + (minutes + chance.whole(-3, 3)) * minuteMs;
  return due && ms > sync.startMs && ms <= Math.min(sync.endMs, day.endMs) ? [ms] : [];
}
