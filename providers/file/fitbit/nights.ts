import { hash } from 'node:crypto';
import type { Extra } from '../../../domain/provider/extra.ts';
import { type Item, isItem, valueAt } from '../../../domain/recipe/read-fields.ts';
import {
  bareItem,
  mostStageSpans,
  type SleepRecord,
  type StageSpan,
  type StoreItem,
  sleepRanks,
} from '../../../domain/records/records.ts';
import { dayMs, isoTime, knownLocalDate, minuteMs } from '../../../domain/time/time.ts';
import {
  type Clocks,
  measuredIn,
  numberIn,
  offsetBetween,
  offsetMinutes,
  unzonedMs,
  zonedMs,
} from '../clocks.ts';
import type { Row } from '../csv.ts';
import { type Entry, type Skipped, skipped, spanProblem } from '../entry.ts';

const device = 'Fitbit';

/** A night of `sleep-*.json`: its times are those of the user's clock. */
interface LocalNight {
  readonly logId: string;
  readonly startMs: number;
  readonly durationMs: number;
  readonly element: Item;
}

/** A night of `UserSleeps`: its times are UTC. */
interface ListedNight {
  readonly startMs: number;
  readonly endMs: number;
  readonly row: Row;
}

interface Stretch {
  readonly stage: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A night where it is in time. */
interface PlacedNight {
  readonly startMs: number;
  readonly durationMs: number;
  readonly offset: number | null;
  readonly source: { readonly local: LocalNight } | { readonly listed: ListedNight };
}

/**
 * The nights of an archive, of which two trees of members have the same. `sleep-*.json` counts, because it has what the app shows; its local
 * times are joined with the nights of `UserSleeps`, and so the archive itself shows the offset. Where the JSON ends, `UserSleeps` counts.
 */
export class Nights {
  readonly #clocks: Clocks;
  readonly #local = new Map<string, LocalNight>();
  readonly #listed = new Map<string, ListedNight>();
  readonly #stages = new Map<string, Stretch[]>();
  readonly #scores = new Map<string, number>();
  readonly #problems: Skipped[] = [];
  #placed: readonly PlacedNight[] | null = null;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
  }

  /** Takes an element of `sleep-*.json`. A night that stands in two chunks has one `logId`. */
  addElement(element: unknown): void {
    const item = isItem(element) ? element : {};
    const startMs = unzonedMs(item.startTime);
    const durationMs = numberIn(item.duration) ?? unzonedMs(item.endTime) - startMs;
    if (Number.isNaN(startMs) || !(durationMs > 0 && durationMs <= dayMs))
      this.#problems.push(skipped('sleep', 'The night has no times.'));
    else
      this.#local.set(String(item.logId ?? startMs), {
        logId: String(item.logId),
        startMs,
        durationMs,
        element: item,
      });
  }

  /** Takes a row of `UserSleeps`. */
  addRow(row: Row): void {
    const [startMs, endMs] = [zonedMs(row.sleep_start), zonedMs(row.sleep_end)];
    if (!(endMs > startMs && endMs - startMs <= dayMs))
      this.#problems.push(skipped('sleep', 'The night has no times.'));
    else this.#listed.set(row.sleep_id || String(startMs), { startMs, endMs, row });
  }

  /** Takes a row of `UserSleepStages`. */
  addStage(row: Row): void {
    const stretches = this.#stages.get(row.sleep_id ?? '') ?? [];
    this.#stages.set(row.sleep_id ?? '', stretches);
    const [fromMs, toMs] = [zonedMs(row.sleep_stage_start), zonedMs(row.sleep_stage_end)];
    if (toMs > fromMs) stretches.push({ stage: (row.sleep_stage_type ?? '').toLowerCase(), fromMs, toMs });
  }

  /** Takes a score by the id of its night. 0, -1 and an empty cell are none. */
  addScore(id: string | undefined, score: string | undefined): void {
    const value = measuredIn(score);
    if (id !== undefined && value !== null && value <= 100) this.#scores.set(id, Math.round(value));
  }

  /** The nights whose instants are known. */
  windows(): readonly (readonly [startMs: number, endMs: number])[] {
    return this.#place().flatMap(({ startMs, durationMs, offset }) =>
      offset === null ? [] : [[startMs, startMs + durationMs] as const],
    );
  }

  /** States the offsets of all nights. */
  stateClocks(): void {
    this.#place();
  }

  /** The entries of all nights. */
  entries(nowMs: number): Entry[] {
    const placed = this.#place();
    const longestMs = new Map<string | null, number>();
    for (const night of placed) {
      const date = dateOf(night);
      longestMs.set(date, Math.max(longestMs.get(date) ?? 0, night.durationMs));
    }
    return [...this.#problems, ...placed.map((night) => this.#entryOf(night, longestMs, nowMs))];
  }

  #place(): readonly PlacedNight[] {
    if (this.#placed === null) {
      // Placing a night asks the clocks, which ask for the offsets of nights.
      this.#placed = [];
      this.#placed = this.#joined();
    }
    return this.#placed;
  }

  #joined(): PlacedNight[] {
    const listed = [...this.#listed.values()].sort((a, b) => a.startMs - b.startMs);
    const free = new Set(listed);
    const joined = [...this.#local.values()].map((local) => {
      const match = this.#matchOf(local, listed, free);
      if (match !== null) {
        free.delete(match.night);
        this.#clocks.state(match.night.startMs, match.offset);
        const change = changeWithin(local.element, local.durationMs);
        this.#clocks.state(match.night.startMs + local.durationMs, match.offset + change / minuteMs);
      }
      return { local, match };
    });
    for (const { startMs, endMs, row } of free) {
      const [start, end] = [
        this.#offsetOf(row.start_utc_offset, startMs),
        this.#offsetOf(row.end_utc_offset, endMs),
      ];
      if (start !== null) this.#clocks.state(startMs, start);
      if (end !== null) this.#clocks.state(endMs, end);
    }
    const locals = joined.map(({ local, match }): PlacedNight => {
      const { ms, offset } = this.#clocks.place(local.startMs);
      return {
        startMs: match?.night.startMs ?? ms,
        durationMs: local.durationMs,
        offset: match?.offset ?? offset,
        source: { local },
      };
    });
    const others = [...free].flatMap((night): PlacedNight[] => {
      const { startMs, endMs, row } = night;
      const isSame = locals.some((one) => startMs < one.startMs + one.durationMs && one.startMs < endMs);
      const offset = this.#offsetOf(row.start_utc_offset, startMs);
      return isSame ? [] : [{ startMs, durationMs: endMs - startMs, offset, source: { listed: night } }];
    });
    return [...locals, ...others].sort((a, b) => a.startMs - b.startMs);
  }

  // `+00:00` also stands where the offset is not known. It counts if the zone of the profile does not speak against it.
  #offsetOf(text: string | undefined, ms: number): number | null {
    const stated = offsetMinutes(text);
    return stated === 0 ? (this.#clocks.zoneOffset(ms) ?? 0) : stated;
  }

  #matchOf(local: LocalNight, listed: readonly ListedNight[], free: ReadonlySet<ListedNight>) {
    const candidates = listed.flatMap((night) => {
      const offset = offsetBetween(local.startMs, night.startMs);
      const differenceMs = Math.abs(night.endMs - night.startMs - local.durationMs);
      if (offset === null || differenceMs > 2 * minuteMs || !free.has(night)) return [];
      const expected = this.#offsetOf(night.row.start_utc_offset, night.startMs);
      return [{ night, offset, farness: Math.abs(offset - (expected ?? offset)) }];
    });
    return candidates.toSorted((a, b) => a.farness - b.farness)[0] ?? null;
  }

  #entryOf(night: PlacedNight, longestMs: ReadonlyMap<string | null, number>, nowMs: number): Entry {
    const { startMs, durationMs, offset } = night;
    const span = { start_ms: startMs, end_ms: startMs + durationMs };
    const problem = spanProblem(span, nowMs);
    if (problem !== null) return skipped('sleep', problem);
    const isLongest = night.durationMs === longestMs.get(dateOf(night));
    const session = this.#sessionOf(night, isLongest);
    const content = JSON.stringify(session);
    const item: StoreItem = {
      ...bareItem,
      data_type: 'sleep',
      key: `fitbit ${startMs}`,
      hash: hash('sha256', content, 'base64url'),
      supersede: 'sleep',
      duration_seconds: Math.round(durationMs / 1000),
      sleeps: [session],
      is_local: offset === null,
    };
    return { kind: 'item', item, type: 'sleep', span };
  }

  #sessionOf(night: PlacedNight, isLongest: boolean): SleepRecord {
    const { startMs, durationMs, offset, source } = night;
    const endMs = startMs + durationMs;
    const seconds = Math.round(durationMs / 1000);
    const stated =
      'local' in source
        ? statedOfElement(source.local)
        : statedOfRow(source.listed, this.#stages.get(source.listed.row.sleep_id ?? '') ?? []);
    const spans = spansOf(stated.stretches, seconds);
    const inStage = (stage: StageSpan[0]) =>
      spans.reduce((sum, [name, from, to]) => sum + (name === stage ? to - from : 0), 0);
    const [deep, light, rem] = [inStage('deep'), inStage('light'), inStage('rem')];
    const [unmeasurable, awake] = [inStage('unmeasurable'), inStage('awake')];
    const staged = deep + light + rem;
    const isStaged = staged > 0;
    const id = 'local' in source ? source.local.logId : (source.listed.row.sleep_id ?? '');
    const wholeAwake = spans.length > 0 ? awake : stated.awakeSeconds;
    return {
      start_ms: startMs,
      end_ms: endMs,
      zone_offset_minutes: offset,
      date: dateOf(night),
      device,
      is_nap: stated.isNap ?? !isLongest,
      rank: sleepRanks.final,
      asleep_seconds: isStaged ? staged + unmeasurable : (stated.asleepSeconds ?? (unmeasurable || null)),
      deep_seconds: isStaged ? deep : null,
      light_seconds: isStaged ? light : null,
      rem_seconds: isStaged ? rem : null,
      awake_seconds: wholeAwake,
      unmeasurable_seconds: unmeasurable || null,
      interruptions:
        spans.length === 0
          ? null
          : spans.filter(([name, from, to]) => name === 'awake' && from > 0 && to < seconds).length,
      score: this.#scores.get(id) ?? null,
      stage_intervals: spans.length === 0 || spans.length > mostStageSpans ? null : spans,
      details: {
        validation: null,
        score_qualifier: null,
        score_parts: [],
        latency_seconds: stated.latencySeconds,
        extra: stated.extra,
      },
    };
  }
}

function dateOf({ startMs, durationMs, offset, source }: PlacedNight): string | null {
  const stated = 'local' in source ? dateIn(source.local.element) : null;
  return stated ?? knownLocalDate(startMs + durationMs, offset);
}

/** What a night states beside its times. Stretches are milliseconds from its start. */
interface StatedNight {
  readonly isNap: boolean | null;
  readonly asleepSeconds: number | null;
  readonly awakeSeconds: number | null;
  readonly latencySeconds: number | null;
  readonly stretches: readonly Stretch[];
  readonly extra: Extra;
}

const secondsOf = (minutes: unknown) => {
  const value = numberIn(minutes);
  return value === null || value < 0 ? null : Math.round(value * 60);
};

const dateIn = ({ dateOfSleep }: Item) => {
  const ms = unzonedMs(dateOfSleep);
  return Number.isNaN(ms) ? null : isoTime(ms).slice(0, 10);
};

function statedOfElement({ element, startMs, durationMs }: LocalNight): StatedNight {
  const { mainSleep, minutesAsleep, minutesAwake, minutesToFallAsleep } = element;
  const efficiency = numberIn(element.efficiency);
  const changeMs = changeWithin(element, durationMs);
  const layers = ['data', 'shortData'].map((name) => stretchesAt(element, name, startMs));
  // Naive times jump with the clock: what follows the jump is that much nearer to the start, or farther from it.
  const jumpMs = jumpOf(layers[0] ?? [], changeMs);
  const stretches = layers.flat().map(({ stage, fromMs, toMs }) => {
    const shift = fromMs >= jumpMs ? changeMs : 0;
    return { stage, fromMs: fromMs - shift, toMs: toMs - shift };
  });
  return {
    isNap: typeof mainSleep === 'boolean' ? !mainSleep : null,
    asleepSeconds: secondsOf(minutesAsleep),
    awakeSeconds: secondsOf(minutesAwake),
    latencySeconds: secondsOf(minutesToFallAsleep),
    stretches,
    extra: efficiency === null ? null : { efficiency },
  };
}

function stretchesAt(element: Item, name: string, startMs: number): Stretch[] {
  const list = valueAt(element, ['levels', name]);
  return (Array.isArray(list) ? list.filter(isItem) : []).flatMap(({ dateTime, level, seconds }) => {
    const fromMs = unzonedMs(dateTime) - startMs;
    const lengthMs = 1000 * (numberIn(seconds) ?? Number.NaN);
    return fromMs >= 0 && lengthMs > 0 ? [{ stage: String(level), fromMs, toMs: fromMs + lengthMs }] : [];
  });
}

// The clock was changed in the night if its local times are farther apart than it was long.
function changeWithin({ startTime, endTime }: Item, durationMs: number): number {
  const change = unzonedMs(endTime) - unzonedMs(startTime) - durationMs;
  return Number.isFinite(change) && Math.abs(change) >= 15 * minuteMs ? change : 0;
}

function jumpOf(stretches: readonly Stretch[], changeMs: number): number {
  if (changeMs === 0) return Number.POSITIVE_INFINITY;
  const at = stretches.findIndex(
    ({ fromMs }, index) =>
      index > 0 && Math.abs(fromMs - (stretches[index - 1]?.toMs ?? 0) - changeMs) < minuteMs,
  );
  return stretches[at]?.fromMs ?? Number.POSITIVE_INFINITY;
}

function statedOfRow({ row, startMs }: ListedNight, stages: readonly Stretch[]): StatedNight {
  return {
    isNap: null,
    asleepSeconds: secondsOf(row.minutes_asleep),
    awakeSeconds: secondsOf(row.minutes_awake),
    latencySeconds: secondsOf(row.minutes_to_fall_asleep),
    stretches: stages.map(({ stage, fromMs, toMs }) => ({
      stage,
      fromMs: fromMs - startMs,
      toMs: toMs - startMs,
    })),
    extra: null,
  };
}

const painted = ['', 'awake', 'light', 'deep', 'rem', 'unmeasurable'] as const;
const stageNames: Readonly<Record<string, (typeof painted)[number]>> = {
  wake: 'awake',
  awake: 'awake',
  light: 'light',
  deep: 'deep',
  rem: 'rem',
  // A night without stages: no sleep of it is light because of that.
  asleep: 'unmeasurable',
  restless: 'unmeasurable',
};

// A later stretch covers earlier ones: short wakes stand beside the stages that they interrupt.
function spansOf(stretches: readonly Stretch[], seconds: number): StageSpan[] {
  const stages = new Uint8Array(seconds);
  for (const { stage, fromMs, toMs } of stretches) {
    const code = painted.indexOf(stageNames[stage] ?? '');
    if (code > 0)
      stages.fill(code, Math.max(0, Math.round(fromMs / 1000)), Math.max(0, Math.round(toMs / 1000)));
  }
  const spans: StageSpan[] = [];
  for (let from = 0, to = 0; from < seconds; from = to) {
    const code = stages[from] ?? 0;
    for (to = from; to < seconds && stages[to] === code; ) to += 1;
    const name = painted[code] ?? '';
    if (name !== '') spans.push([name, from, to]);
  }
  return spans;
}
