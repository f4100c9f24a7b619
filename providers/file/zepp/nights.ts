import type { StageSpan } from '../../../domain/records/records.ts';
import { dayMs, hourMs, minuteMs } from '../../../domain/time/time.ts';
import type { Clocks } from '../clocks.ts';
import type { Row } from '../csv.ts';
import { elementReader } from '../elements.ts';
import { type Entry, skipped } from '../entry.ts';
import { sleepFields } from './fields.ts';
import { device, localIn, measuredIn, sampleEntry, utcIn } from './rows.ts';

const stages: readonly string[] = ['DEEP', 'LIGHT', 'REM', 'WAKE'];
const names: readonly StageSpan[0][] = ['deep', 'light', 'rem', 'awake'];

interface Minute {
  readonly ms: number;
  readonly stage: number;
  readonly hr: number;
  readonly breaths: number | null;
}

/** Minutes without a gap of an hour. */
interface MinuteNight {
  readonly startMs: number;
  readonly minutes: readonly Minute[];
  readonly totals: string;
}

interface ListedNight {
  readonly row: Row;
  readonly startMs: number;
  readonly stopMs: number;
}

/** Of the heart rates of minutes, so many must be those of the day. */
const leastAgreement = 0.6;
const quarterMs = 15 * minuteMs;

/**
 * The nights of `SLEEP`, whose times are UTC, and their minutes in `SLEEP_MINUTE`, whose times are those of the user's clock. One of the
 * tables may be a day off: the heart rates of the minutes show which. A night and its minutes have the same totals, and their difference
 * is the offset of the clock.
 */
export class Nights {
  readonly #clocks: Clocks;
  readonly #listed = new Map<string, ListedNight>();
  readonly #minutes = new Map<number, Minute>();
  readonly #rates = new Map<number, Uint8Array>();

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
    // The first time that is placed needs the offsets of all nights, also if an import goes on behind them.
    clocks.gatherBy(() => {
      for (const { startMs, match } of this.#matched().nights)
        if (match !== null) clocks.state(startMs + match.dayShiftMs, match.offset);
    });
  }

  /** Adds a row of `HEARTRATE_AUTO`. */
  addRate(row: Row): Entry[] {
    const [ms, value] = [localIn(row), measuredIn(row.heartRate)];
    if (ms === null || value === null) return [];
    const day = Math.floor(ms / dayMs);
    const rates = this.#rates.get(day) ?? new Uint8Array(1440);
    this.#rates.set(day, rates);
    rates[(ms - day * dayMs) / minuteMs] = value;
    return [];
  }

  /** Adds a row of `SLEEP`. Of two files with a date the later one counts. */
  addNight(row: Row): Entry[] {
    const [startMs, stopMs] = [utcIn(row.start), utcIn(row.stop)];
    if (startMs === null || stopMs === null) return [skipped('sleep', 'The time cannot be read.')];
    // Nights without a measurement have no length.
    if (stopMs > startMs) this.#listed.set(row.date ?? '', { row, startMs, stopMs });
    const isEmpty = ['', '[]', 'null'].includes(row.naps?.trim() ?? '');
    return isEmpty ? [] : [skipped('sleep', 'Naps are not kept, because their form is not known.')];
  }

  /** Adds a row of `SLEEP_MINUTE`. */
  addMinute(row: Row): Entry[] {
    const [ms, stage] = [localIn(row), stages.indexOf(row.stage?.trim().toUpperCase() ?? '')];
    if (ms === null || stage < 0) return [skipped('sleep', 'The minute has no time or no known stage.')];
    this.#minutes.set(ms, {
      ms,
      stage,
      hr: measuredIn(row.hr) ?? 0,
      breaths: measuredIn(row.respiratory_rate),
    });
    return [];
  }

  /** All nights, and the values of their minutes. */
  read(nowMs: number): Entry[] {
    const { shiftMs, groups, nights } = this.#matched();
    const shifts = nights.flatMap(({ match }) => (match === null ? [] : [match.dayShiftMs]));
    const usualMs = mostOften(shifts) ?? 0;
    return [
      ...nights.flatMap(({ row, startMs, stopMs, match }) => {
        const byMs = match?.dayShiftMs ?? usualMs;
        const read = elementReader('sleep', 'sleep', {
          device,
          fields: sleepFields,
          complete: (draft) => ({
            ...draft,
            key: `zepp ${row.date}`,
            start_time: startMs + byMs,
            end_time: stopMs + byMs,
            ...(match === null ? {} : { zone_offset: match.offset }),
            sleep: {
              ...draft.sleep,
              ...(match === null ? {} : { stage_intervals: spansOf(match, startMs + byMs, stopMs + byMs) }),
            },
          }),
        });
        return read(row, nowMs);
      }),
      ...groups.flatMap(({ minutes }) =>
        minutes.flatMap(({ ms, breaths }) =>
          breaths === null ? [] : [sampleEntry('respiratory_rate', this.#clocks.place(ms), breaths, nowMs)],
        ),
      ),
      ...(shiftMs === null && this.#minutes.size > 0
        ? [
            skipped(
              'sleep',
              'The archive does not show the day of the minutes of nights.',
              this.#minutes.size,
            ),
          ]
        : []),
    ];
  }

  #matched() {
    const shiftMs = this.#minuteShift();
    const groups = shiftMs === null ? [] : groupsOf([...this.#minutes.values()], shiftMs);
    const nights = [...this.#listed.values()].map((night) => ({ ...night, match: matchOf(night, groups) }));
    return { shiftMs, groups, nights };
  }

  // The day on which the heart rates were those of the minutes: that of their dates, or the one before. Null: neither shows it.
  #minuteShift(): number | null {
    const agreement = (shiftMs: number) => {
      let [same, all] = [0, 0];
      for (const { ms, hr } of this.#minutes.values()) {
        if (hr === 0) continue;
        const day = Math.floor((ms + shiftMs) / dayMs);
        const rate = this.#rates.get(day)?.[(ms + shiftMs - day * dayMs) / minuteMs] ?? 0;
        all += 1;
        if (rate === hr) same += 1;
      }
      return all === 0 ? 0 : same / all;
    };
    const [own, before] = [agreement(0), agreement(-dayMs)];
    if (Math.max(own, before) < leastAgreement || own === before) return null;
    return own > before ? 0 : -dayMs;
  }
}

function groupsOf(minutes: readonly Minute[], shiftMs: number): MinuteNight[] {
  const groups: Minute[][] = [];
  for (const minute of minutes.toSorted((a, b) => a.ms - b.ms)) {
    const last = groups.at(-1);
    const moved = { ...minute, ms: minute.ms + shiftMs };
    if (last === undefined || moved.ms - (last.at(-1)?.ms ?? 0) > hourMs) groups.push([moved]);
    else last.push(moved);
  }
  return groups.map((group) => ({
    startMs: group[0]?.ms ?? 0,
    minutes: group,
    totals: totalsOf((stage) => group.filter((one) => one.stage === stage).length),
  }));
}

/** The minutes in each stage but that of waking, in which a night and its minutes may differ. */
const totalsOf = (minutesIn: (stage: number) => number) => [0, 1, 2].map(minutesIn).join(' ');

interface Match {
  readonly group: MinuteNight;
  readonly offset: number;
  readonly dayShiftMs: number;
}

// The minutes with the totals of a night. Clocks are from 11 hours behind UTC to 13 hours before it, and a night may be a day early: what
// the difference of both has beside whole days is the offset.
function matchOf({ row, startMs }: ListedNight, groups: readonly MinuteNight[]): Match | null {
  const columns = [row.deepSleepTime, row.shallowSleepTime, row.REMTime];
  const totals = totalsOf((stage) => measuredIn(columns[stage]) ?? 0);
  const [group, ...others] = groups.filter((one) => {
    const difference = one.startMs - startMs;
    return one.totals === totals && difference >= -11 * hourMs && difference <= dayMs + 13 * hourMs;
  });
  if (group === undefined || others.length > 0) return null;
  const difference = group.startMs - startMs;
  const dayShiftMs = Math.round((difference - hourMs) / dayMs) * dayMs;
  const offsetMs = Math.round((difference - dayShiftMs) / quarterMs) * quarterMs;
  if (Math.abs(difference - dayShiftMs - offsetMs) > 5 * minuteMs) return null;
  return { group, offset: offsetMs / minuteMs, dayShiftMs };
}

function spansOf({ group, offset }: Match, startMs: number, endMs: number): StageSpan[] {
  const spans: StageSpan[] = [];
  const length = (endMs - startMs) / 1000;
  for (const { ms, stage } of group.minutes) {
    const at = (ms - offset * minuteMs - startMs) / 1000;
    const [name, from, to] = [names[stage], Math.max(0, at), Math.min(length, at + 60)];
    const last = spans.at(-1);
    if (name === undefined || to <= from) continue;
    if (last !== undefined && last[0] === name && last[2] === from) last[2] = to;
    else spans.push([name, from, to]);
  }
  return spans;
}

function mostOften(values: readonly number[]): number | undefined {
  const counts = Map.groupBy(values, (value) => value);
  return [...counts].toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0];
}
