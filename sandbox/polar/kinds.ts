import { isoTime, minuteMs } from '../../domain/time/time.ts';
import { stepsIn } from '../day-simulation/counts.ts';
import type { SimulatedDay } from '../day-simulation/day.ts';
import { heartRateEveryMs } from '../day-simulation/heart-rate.ts';
import { stageTotals } from '../day-simulation/night.ts';
import type { ListedKind, ListedRecord } from '../listed/listed.ts';
import { hashOf } from '../simulation/random.ts';

const quarterMs = 15 * minuteMs;
const scope = 'accesslink.read_all';

/** A time of the device's clock, without an offset. */
const local = (day: SimulatedDay, ms: number) => isoTime(ms + day.offset_minutes * minuteMs).slice(0, 19);

function withOffset(day: SimulatedDay, ms: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.abs(day.offset_minutes);
  const sign = day.offset_minutes < 0 ? '-' : '+';
  return `${local(day, ms)}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

const clockOf = (day: SimulatedDay, ms: number) => local(day, ms).slice(11, 16);
const seconds = (ms: number) => Math.round(ms / 1000);

/** The heart rates of a span in steps, as the device measured them; 0 where it had no signal. */
function ratesIn(day: SimulatedDay, startMs: number, endMs: number, everyMs: number): [number, number][] {
  const rates: [number, number][] = [];
  for (let ms = startMs; ms < endMs; ms += everyMs)
    rates.push([ms, day.heart_rates[Math.floor((ms - day.startMs) / heartRateEveryMs)] ?? 0]);
  return rates;
}

const bpm = (ms: number, value: number) => ['heart_rate', ms, value] as const;

function exerciseOf(
  day: SimulatedDay,
  span: { startMs: number; endMs: number },
  sport: string,
): ListedRecord {
  const startMs = Math.floor(span.startMs / 1000) * 1000;
  const rates = ratesIn(day, startMs, span.endMs, heartRateEveryMs);
  const id = hashOf(`${day.user.seed}/${span.startMs}`).toString(36);
  const rate = { 'recording-rate': heartRateEveryMs / 1000, 'sample-type': '0' };
  const fields = {
    id,
    start_time: local(day, startMs),
    start_time_utc_offset: day.offset_minutes,
    duration: `PT${seconds(span.endMs - startMs)}S`,
    device: 'Polar Vantage V2',
    sport,
    calories: 320,
    detailed_sport_info: sport,
    has_route: false,
    training_load: 80.5,
    heart_rate: { average: 140, maximum: 155 },
    samples: [{ ...rate, data: rates.map(([, value]) => (value > 0 ? value : 'null')).join(',') }],
  };
  const samples = rates.filter(([, value]) => value > 0).map(([ms, value]) => bpm(ms, value));
  return { id, startMs, endMs: span.endMs, availableMs: span.endMs, fields, samples };
}

const sports: Readonly<Record<string, string>> = { run: 'RUNNING', ride: 'CYCLING', swim: 'SWIMMING' };
const numbers = { awake: 0, rem: 1, light: 2, deep: 4, unmeasurable: 5 } as const;
const nightEveryMs = 30 * minuteMs;

/** The values of a night, each half an hour, by the device's clock. */
function ofNight(day: SimulatedDay, value: number): { map: Record<string, number>; times: number[] } {
  const times: number[] = [];
  for (let ms = day.sleep?.startMs ?? 0; ms < (day.sleep?.endMs ?? 0); ms += nightEveryMs)
    times.push(Math.floor(ms / minuteMs) * minuteMs);
  return { map: Object.fromEntries(times.map((ms) => [clockOf(day, ms), value])), times };
}

function nightOf(day: SimulatedDay, fields: object, samples: ListedRecord['samples']): ListedRecord[] {
  if (day.sleep === null) return [];
  const { startMs, endMs } = day.sleep;
  const record = { startMs, endMs, availableMs: endMs + 2 * quarterMs };
  return [{ id: day.date, ...record, fields: { date: day.date, ...fields }, samples: samples ?? [] }];
}

/** The records by kinds. The heart rates of a day are cut into quarters of an hour, which the list puts together. */
export const kinds: Readonly<Record<string, ListedKind>> = {
  activities: {
    scope,
    kind: 'workouts',
    device: 'Polar Vantage V2',
    of: (day, { recorded }) => [
      ...day.workouts.map((one) => exerciseOf(day, one, sports[one.plan.sport] ?? 'OTHER')),
      ...recorded.map((one) => exerciseOf(day, one, 'RUNNING')),
    ],
  },
  sleep: {
    scope,
    kind: 'sleeps',
    device: 'Polar sleep',
    of(day, { versionOf }) {
      if (day.sleep === null) return [];
      const { startMs, endMs, stages } = day.sleep;
      const totals = stageTotals(stages);
      const rates = ofNight(day, 52);
      const fields = {
        sleep_start_time: withOffset(day, startMs),
        sleep_end_time: withOffset(day, endMs),
        light_sleep: seconds(totals.light),
        deep_sleep: seconds(totals.deep),
        rem_sleep: seconds(totals.rem),
        unrecognized_sleep_stage: seconds(totals.unmeasurable),
        total_interruption_duration: seconds(totals.awake),
        sleep_score: Math.min(100, 78 + versionOf(day.date)),
        hypnogram: Object.fromEntries(
          stages.map(({ stage, startMs: ms }) => [clockOf(day, ms), numbers[stage]]),
        ),
        heart_rate_samples: rates.map,
      };
      return nightOf(
        day,
        fields,
        rates.times.map((ms) => bpm(ms, 52)),
      );
    },
  },
  recharge: {
    scope,
    kind: 'other',
    device: 'Polar Nightly Recharge',
    of(day) {
      const { map, times } = ofNight(day, day.user.traits.hrv_rmssd_ms);
      const hrv = day.user.traits.hrv_rmssd_ms;
      const fields = { nightly_recharge_status: 4, ans_charge: 1.2, hrv_samples: map };
      return nightOf(
        day,
        { ...fields, heart_rate_variability_avg: hrv },
        times.map((ms) => ['heart_rate_variability_rmssd', ms, hrv]),
      );
    },
  },
  days: {
    scope,
    kind: 'other',
    device: 'Polar',
    of(day) {
      const minutes = day.minutes.filter(({ worn }) => worn);
      const samples = minutes.map((one) => ({ steps: one.steps, timestamp: local(day, one.startMs) }));
      const steps = stepsIn(minutes);
      const fields = {
        start_time: `${day.date}T00:00:00`,
        end_time: `${day.date}T23:59:59`,
        active_duration: 'PT2H44M45S',
        calories: 2300,
        active_calories: 430,
        steps,
        samples: { date: day.date, steps: { interval_ms: minuteMs, total_steps: steps, samples } },
      };
      const span = { startMs: day.startMs, endMs: day.endMs, availableMs: day.endMs + 2 * quarterMs };
      return [{ id: day.date, ...span, fields: { date: day.date, ...fields } }];
    },
  },
  heart_rate: {
    scope,
    kind: 'other',
    device: 'Polar',
    of(day) {
      const records: ListedRecord[] = [];
      for (let startMs = day.startMs; startMs < day.endMs; startMs += quarterMs) {
        const endMs = startMs + quarterMs;
        const rates = ratesIn(day, startMs, endMs, 5 * minuteMs).filter(([, value]) => value > 0);
        const heart_rate_samples = rates.map(([ms, heart_rate]) => ({
          heart_rate,
          sample_time: local(day, ms).slice(11),
        }));
        records.push({
          id: `${day.date} ${startMs}`,
          startMs,
          endMs,
          availableMs: endMs,
          fields: { date: day.date, heart_rate_samples },
          samples: rates.map(([ms, value]) => bpm(ms, value)),
        });
      }
      return records;
    },
  },
  cardio_load: {
    scope,
    kind: 'other',
    device: 'Polar',
    of(day) {
      const span = { startMs: day.startMs, endMs: day.endMs, availableMs: day.endMs + 2 * quarterMs };
      const fields = { cardio_load: 71.4, cardio_load_status: 'PRODUCTIVE', strain: 60.5, tolerance: 48.2 };
      return [{ id: day.date, ...span, fields: { date: day.date, ...fields } }];
    },
  },
};
