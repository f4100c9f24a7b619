import { offsetMinutesIn } from '../../../domain/time/zone.ts';
import { type Case, list, times } from './case.ts';

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const at = (instant: string) => Date.parse(instant);

/** Minutes after the noon before, by the clock of the zone. */
const localMinutes = (instant: string, zone: string) => {
  const local = at(instant) / minuteMs + (offsetMinutesIn(zone, at(instant)) ?? Number.NaN);
  return (local + 720) % 1440;
};
const spansOf = (...spans: readonly (readonly [string, string])[]) =>
  spans.map(([start, end]) => ({ startMs: at(start), endMs: at(end) }));
const noon = (instant: string, days: number) => ({ startMs: at(instant), known: list(days, () => true) });

const night = {
  ...{ asleepMinutes: 450, deepMinutes: 90, remMinutes: 90, awakeMinutes: 10, awakenings: [] },
  ...{ bedtimeMinutes: 660, earlierBedtimes: times(14, 660) },
};
const score = (points: number, consistency: number) => ({
  score: points,
  components: { duration: 100, stages: 100, consistency, interruptions: 100 },
});
const bedtimes = (instants: readonly string[], zone: string) => {
  const [bedtimeMinutes = Number.NaN, ...earlierBedtimes] = instants
    .map((one) => localMinutes(one, zone))
    .reverse();
  return { ...night, bedtimeMinutes, earlierBedtimes };
};

// A span each day, from `from` to `to` hours after its noon. The first noon is at 0.
const nightsOf = (days: number, from: number, to: number) =>
  list(days, (day) => ({ startMs: day * dayMs + from * hourMs, endMs: day * dayMs + to * hourMs }));
const known = (days: number, ...gone: number[]) => ({
  startMs: 0,
  known: list(days, (day) => !gone.includes(day)),
});
const withNap = (day: number, minutes: number) => ({
  startMs: day * dayMs + 2 * hourMs,
  endMs: day * dayMs + 2 * hourMs + minutes * minuteMs,
});

/** Changes of the clock and of the time zone. */
export const clockChanges: readonly Case[] = [
  {
    claim: 'who goes to bed at 23:00 by the clock is on time across the change to summer time',
    method: 'sleep_score',
    input: [bedtimes(['2026-03-27T22:00Z', '2026-03-28T22:00Z', '2026-03-29T21:00Z'], 'Europe/Berlin')],
    value: score(100, 100),
    confidence: 2 / 14,
  },
  {
    claim: 'and to winter time',
    method: 'sleep_score',
    input: [bedtimes(['2026-10-23T21:00Z', '2026-10-24T21:00Z', '2026-10-25T22:00Z'], 'Europe/Berlin')],
    value: score(100, 100),
    confidence: 2 / 14,
  },
  {
    claim: 'a traveller of six hours is on time by the new clock',
    method: 'sleep_score',
    input: [{ ...night, bedtimeMinutes: localMinutes('2026-06-04T03:00Z', 'America/New_York') }],
    value: score(100, 100),
  },
  {
    claim:
      'the night of the change is an hour shorter, and 24 hours later it is an hour earlier: two times 60 minutes',
    method: 'sleep_regularity',
    input: [
      spansOf(
        ['2026-03-26T22:00Z', '2026-03-27T06:00Z'],
        ['2026-03-27T22:00Z', '2026-03-28T06:00Z'],
        ['2026-03-28T22:00Z', '2026-03-29T05:00Z'],
        ['2026-03-29T21:00Z', '2026-03-30T05:00Z'],
        ['2026-03-30T21:00Z', '2026-03-31T05:00Z'],
        ['2026-03-31T21:00Z', '2026-04-01T05:00Z'],
      ),
      noon('2026-03-26T11:00Z', 6),
    ],
    value: 100 - (200 * 120) / (5 * 1440),
  },
  {
    claim: 'a flight of six hours to the west moves both ends of the sleep by 360 minutes once',
    method: 'sleep_regularity',
    input: [[...nightsOf(3, 11, 18), ...nightsOf(6, 17, 24).slice(3)], known(6)],
    value: 100 - (200 * 720) / (5 * 1440),
  },
];

/** Nights over midnight, naps, two devices, missing parts. */
export const nights: readonly Case[] = [
  {
    claim: 'ten past midnight is 20 minutes after ten to midnight: 5 beyond the grace',
    method: 'sleep_score',
    input: [{ ...night, bedtimeMinutes: 730, earlierBedtimes: [710] }],
    value: score(99, 95),
    confidence: 1 / 14,
  },
  {
    claim: 'and ten to midnight is 20 minutes before it',
    method: 'sleep_score',
    input: [{ ...night, bedtimeMinutes: 710, earlierBedtimes: [730] }],
    value: score(99, 95),
    confidence: 1 / 14,
  },
  {
    claim: 'only the last 14 bedtimes count: of 24, ten late ones are too old',
    method: 'sleep_score',
    input: [{ ...night, earlierBedtimes: [...times(10, 900), ...times(14, 660)] }],
    value: score(100, 100),
  },
  {
    claim: 'a night without stages has no score',
    method: 'sleep_score',
    input: [{ ...night, deepMinutes: null, remMinutes: null }],
    value: null,
    reason: 'no_stages',
  },
  {
    claim: 'nor has one with half of the stages',
    method: 'sleep_score',
    input: [{ ...night, remMinutes: null }],
    value: null,
    reason: 'no_stages',
  },
  {
    claim: 'nor the first night',
    method: 'sleep_score',
    input: [{ ...night, earlierBedtimes: [] }],
    value: null,
    reason: 'no_earlier_night',
    confidence: 0,
  },
  {
    claim: 'nor one without sleep',
    method: 'sleep_score',
    input: [{ ...night, asleepMinutes: 0 }],
    value: null,
    reason: 'no_data',
  },
  {
    claim: 'a night of 24 hours has a score',
    method: 'sleep_score',
    input: [{ ...night, asleepMinutes: 1440 }],
    value: { score: 80, components: { duration: 50, stages: 100, consistency: 100, interruptions: 100 } },
  },
  {
    claim: 'one of more than 24 hours has none',
    method: 'sleep_score',
    input: [{ ...night, asleepMinutes: 1441 }],
    value: null,
    reason: 'no_data',
  },
  {
    claim: 'a nap each day at the same time is regular',
    method: 'sleep_regularity',
    input: [[...nightsOf(6, 11, 19), ...list(6, (day) => withNap(day, 30))], known(6)],
    value: 100,
    confidence: 5 / 27,
  },
  {
    claim: 'a single nap of 30 minutes differs from the day before and the day after',
    method: 'sleep_regularity',
    input: [[...nightsOf(6, 11, 19), withNap(3, 30)], known(6)],
    value: 100 - (200 * 60) / (5 * 1440),
  },
  {
    claim: 'two devices that record the same night count once',
    method: 'sleep_regularity',
    input: [[...nightsOf(6, 11, 19), ...nightsOf(6, 11.25, 18.5)], known(6)],
    value: 100,
  },
  {
    claim: 'a day without recorded sleep takes both of its pairs out',
    method: 'sleep_regularity',
    input: [nightsOf(8, 11, 19), known(8, 4)],
    value: 100,
    confidence: 5 / 27,
  },
  {
    claim: 'four pairs do not suffice',
    method: 'sleep_regularity',
    input: [nightsOf(5, 11, 19), known(5)],
    value: null,
    reason: 'too_few_days',
    confidence: 4 / 27,
  },
  {
    claim:
      'a minute is slept if its middle is: sleep from 30 seconds on covers the first minute, from 31 on it does not',
    method: 'sleep_regularity',
    input: [
      [
        { startMs: 30_000, endMs: hourMs },
        ...list(5, (day) => ({ startMs: (day + 1) * dayMs + 30_001, endMs: (day + 1) * dayMs + hourMs })),
      ],
      known(6),
    ],
    value: 100 - 200 / (5 * 1440),
  },
  {
    claim: 'a night that ends on a Saturday is free, one that ends on a Monday is not',
    method: 'social_jet_lag',
    input: [
      list(7, (day) => ({ date: `2026-03-0${day + 2}`, middleMinutes: day === 5 || day === 6 ? 990 : 900 })),
    ],
    value: { workMiddleMinutes: 900, freeMiddleMinutes: 990, lagMinutes: 90 },
    confidence: 7 / 28,
  },
  {
    claim: 'one free night does not suffice',
    method: 'social_jet_lag',
    input: [list(6, (day) => ({ date: `2026-03-0${day + 2}`, middleMinutes: 900 }))],
    value: null,
    reason: 'too_few_nights',
    confidence: 6 / 28,
  },
];
