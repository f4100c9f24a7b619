import { hundredths } from '../../day-simulation/counts.ts';
import type { SimulatedDay, Sleep } from '../../day-simulation/day.ts';
import type { Minute } from '../../day-simulation/minutes.ts';
import type { Span } from '../../day-simulation/plan.ts';
import {
  bodyBatteryAt,
  breathAt,
  hrvAt,
  spo2At,
  strainEveryMs,
  stressAt,
} from '../../day-simulation/strain.ts';
import { noiseOf } from '../../simulation/random.ts';
import { headOf, idOf, mapOf } from './head.ts';
import { measuredAt } from './occasional.ts';
import { oxygenOf } from './sleeps.ts';

const minuteMs = 60_000;
const hrvEveryMs = 300_000;

/** Stress and body battery of the day so far. The item grows like the daily record. */
export function stressDetails(day: SimulatedDay, sync: Span) {
  const span = { startMs: day.startMs, endMs: Math.min(sync.endMs, day.endMs) };
  const minutes = everyThreeMinutes(day, span);
  const worn = minutes.filter((one) => one.worn);
  if (minutes.length === 0) return [];
  const battery = worn.map((one) => [one.startMs, bodyBatteryAt(day.user, day.plans, one.startMs)] as const);
  return [
    {
      ...headOf(day.user, span),
      calendarDate: day.date,
      timeOffsetStressLevelValues: mapOf(
        day.startMs,
        minutes.map((one) => [one.startMs, stressAt(day.user, one)]),
      ),
      timeOffsetBodyBatteryValues: mapOf(day.startMs, battery),
    },
  ];
}

/** Respiration since the last synchronisation, with placeholders. */
export function respiration(day: SimulatedDay, sync: Span) {
  const span = { startMs: Math.max(sync.startMs, day.startMs), endMs: Math.min(sync.endMs, day.endMs) };
  const minutes = everyThreeMinutes(day, span);
  if (minutes.length === 0) return [];
  const breaths = minutes.map((one) => [one.startMs, breathAt(day.user, one)] as const);
  return [{ ...headOf(day.user, span), timeOffsetEpochToBreaths: mapOf(span.startMs, breaths) }];
}

function everyThreeMinutes(day: SimulatedDay, span: Span): readonly Minute[] {
  return day.minutes.filter(
    ({ startMs }) =>
      startMs >= span.startMs && startMs < span.endMs && (startMs - day.startMs) % strainEveryMs === 0,
  );
}

/** Heart rate variability of a night, every five minutes. */
export function hrv(day: SimulatedDay, sync: Span) {
  return newNight(day, sync).map((sleep) => {
    const values: [number, number][] = [];
    for (let ms = sleep.startMs + hrvEveryMs; ms < sleep.endMs; ms += hrvEveryMs)
      values.push([ms, hrvAt(day.user, ms)]);
    const all = values.map(([, value]) => value);
    return {
      ...headOf(day.user, sleep),
      calendarDate: day.date,
      lastNightAvg: Math.round(all.reduce((sum, value) => sum + value, 0) / all.length),
      lastNight5MinHigh: Math.max(...all),
      hrvValues: mapOf(sleep.startMs, values),
    };
  });
}

/** Oxygen saturation of a night, with the values of the sleep item, and every fourth day one that the user measured. */
export function pulseOx(day: SimulatedDay, sync: Span) {
  const nights = newNight(day, sync).map((sleep) => ({
    ...headOf(day.user, sleep),
    calendarDate: day.date,
    timeOffsetSpo2Values: mapOf(sleep.startMs, oxygenOf(day.user, sleep, sleep)),
    onDemand: false,
  }));
  const spots = measuredAt(day, sync, 4, 90).map((ms) => ({
    ...headOf(day.user, { startMs: ms, endMs: ms }),
    calendarDate: day.date,
    timeOffsetSpo2Values: mapOf(ms, [[ms, spo2At(day.user, ms)]]),
    onDemand: true,
  }));
  return [...nights, ...spots];
}

/** The deviation of the skin temperature in a night. */
export function skinTemp(day: SimulatedDay, sync: Span) {
  const noise = noiseOf(`${day.user.seed}/skin`);
  return newNight(day, sync).map((sleep) => ({
    ...headOf(day.user, sleep),
    summaryId: `${idOf(day.user, sleep.startMs)}-skin`,
    calendarDate: day.date,
    avgDeviationCelsius: hundredths(0.6 * noise(day.startMs, 3 * 1440 * minuteMs)),
  }));
}

function newNight({ sleep, endMs }: SimulatedDay, sync: Span): Sleep[] {
  const knownFromMs = Math.min(endMs, (sleep?.endMs ?? 0) + 10 * minuteMs);
  return sleep !== null && knownFromMs > sync.startMs && knownFromMs <= sync.endMs ? [sleep] : [];
}
