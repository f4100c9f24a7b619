import { hundredths } from '../../life/counts.ts';
import type { DayLife, Sleep } from '../../life/day.ts';
import type { Minute } from '../../life/minutes.ts';
import type { Span } from '../../life/plan.ts';
import { bodyBatteryAt, breathAt, hrvAt, strainEveryMs, stressAt } from '../../life/strain.ts';
import { noiseOf } from '../../random.ts';
import { headOf, idOf, mapOf } from './head.ts';
import { oxygenOf } from './sleeps.ts';

const minuteMs = 60_000;
const hrvEveryMs = 300_000;

/** Stress and body battery of the day so far, growing as the daily record does. */
export function stressDetails(day: DayLife, sync: Span) {
  const span = { startMs: day.startMs, endMs: Math.min(sync.endMs, day.endMs) };
  const minutes = everyThreeMinutes(day, span);
  const worn = minutes.filter((one) => one.worn);
  if (minutes.length === 0) return [];
  const battery = worn.map(
    (one) => [one.startMs, bodyBatteryAt(day.person, day.plans, one.startMs)] as const,
  );
  return [
    {
      ...headOf(day.person, span),
      calendarDate: day.date,
      timeOffsetStressLevelValues: mapOf(
        day.startMs,
        minutes.map((one) => [one.startMs, stressAt(day.person, one)]),
      ),
      timeOffsetBodyBatteryValues: mapOf(day.startMs, battery),
    },
  ];
}

/** Breaths since the last time of synchronising, with its placeholders. */
export function respiration(day: DayLife, sync: Span) {
  const span = { startMs: Math.max(sync.startMs, day.startMs), endMs: Math.min(sync.endMs, day.endMs) };
  const minutes = everyThreeMinutes(day, span);
  if (minutes.length === 0) return [];
  const breaths = minutes.map((one) => [one.startMs, breathAt(day.person, one)] as const);
  return [{ ...headOf(day.person, span), timeOffsetEpochToBreaths: mapOf(span.startMs, breaths) }];
}

function everyThreeMinutes(day: DayLife, span: Span): readonly Minute[] {
  return day.minutes.filter(
    ({ startMs }) =>
      startMs >= span.startMs && startMs < span.endMs && (startMs - day.startMs) % strainEveryMs === 0,
  );
}

/** Variability of the heart through a night, each five minutes. */
export function hrv(day: DayLife, sync: Span) {
  return newNight(day, sync).map((sleep) => {
    const values: [number, number][] = [];
    for (let ms = sleep.startMs + hrvEveryMs; ms < sleep.endMs; ms += hrvEveryMs)
      values.push([ms, hrvAt(day.person, ms)]);
    const all = values.map(([, value]) => value);
    return {
      ...headOf(day.person, sleep),
      calendarDate: day.date,
      lastNightAvg: Math.round(all.reduce((sum, value) => sum + value, 0) / all.length),
      lastNight5MinHigh: Math.max(...all),
      hrvValues: mapOf(sleep.startMs, values),
    };
  });
}

/** Oxygen through a night: the same values that the sleep carries. */
export function pulseOx(day: DayLife, sync: Span) {
  return newNight(day, sync).map((sleep) => ({
    ...headOf(day.person, sleep),
    calendarDate: day.date,
    timeOffsetSpo2Values: mapOf(sleep.startMs, oxygenOf(day.person, sleep, sleep)),
    onDemand: false,
  }));
}

/** How far the skin was from its usual temperature in a night. */
export function skinTemp(day: DayLife, sync: Span) {
  const noise = noiseOf(`${day.person.seed}/skin`);
  return newNight(day, sync).map((sleep) => ({
    ...headOf(day.person, sleep),
    summaryId: `${idOf(day.person, sleep.startMs)}-skin`,
    calendarDate: day.date,
    avgDeviationCelsius: hundredths(0.6 * noise(day.startMs, 3 * 1440 * minuteMs)),
  }));
}

function newNight({ sleep, endMs }: DayLife, sync: Span): Sleep[] {
  const knownFromMs = Math.min(endMs, (sleep?.endMs ?? 0) + 10 * minuteMs);
  return sleep !== null && knownFromMs > sync.startMs && knownFromMs <= sync.endMs ? [sleep] : [];
}
