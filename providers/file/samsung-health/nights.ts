import { hash } from 'node:crypto';
import { ownValue } from '../../../domain/own-value.ts';
import type { IntervalSource } from '../../../domain/records/interval-records.ts';
import { bareItem, type SleepRecord, type StoreItem } from '../../../domain/records/records.ts';
import { dayMs } from '../../../domain/time/time.ts';
import type { NightPhase } from '../../phone/nights/join-phases.ts';
import { sessionOf } from '../../phone/nights/night-session.ts';
import type { PhaseStage } from '../../phone/normalise/sleep-phase.ts';
import { type Entry, skipped } from '../entry.ts';
import { type Cells, type Devices, instantIn, measuredIn, type RowSpan, spanOf, textIn } from './cells.ts';

const stages: Readonly<Record<string, PhaseStage>> = {
  40001: 'awake',
  40002: 'light',
  40003: 'deep',
  40004: 'rem',
};

interface SleepRow {
  readonly id: string;
  readonly span: RowSpan;
  readonly source: IntervalSource;
  readonly combined: string | null;
  readonly score: number | null;
  readonly efficiency: number | null;
}

interface Stage {
  readonly stage: PhaseStage;
  readonly start_ms: number;
  readonly end_ms: number;
}

/**
 * The nights of the tables of sleep. Rows of one combined sleep, and rows that overlap, are one night: the union of their times, because
 * the watch and the phone may each have one. A row of another app counts if there is none of Samsung Health at the time.
 */
export class Nights {
  readonly #rows = new Map<string, SleepRow>();
  readonly #stages = new Map<string, Stage[]>();
  readonly #combined = new Map<string, number>();
  readonly #devices: Devices;
  readonly #nowMs: number;

  constructor(devices: Devices, nowMs: number) {
    this.#devices = devices;
    this.#nowMs = nowMs;
  }

  /** Adds a row of `sleep`. Where the table has a length, a row without one is a goal. */
  add(cells: Cells): Entry[] {
    if ('sleep_duration' in cells && measuredIn(cells.sleep_duration) === null)
      return [skipped('sleep', 'Goals of bedtime are not kept.')];
    const span = spanOf(cells, this.#nowMs);
    if (typeof span === 'string') return [skipped('sleep', span)];
    const length = span.end_ms - span.start_ms;
    if (length === 0 || length > dayMs)
      return [skipped('sleep', 'The sleep has no length of up to 24 hours.')];
    const id = textIn(cells.datauuid) ?? `${span.start_ms}`;
    const [score, efficiency] = [scoreIn(cells.sleep_score), scoreIn(cells.efficiency)];
    const source = this.#devices.sourceOf(cells);
    this.#rows.set(id, { id, span, source, combined: textIn(cells.combined_id), score, efficiency });
    return [];
  }

  /** Adds a row of `sleep_stage`. */
  addStage(cells: Cells): Entry[] {
    const id = textIn(cells.sleep_id);
    const stage = ownValue(stages, textIn(cells.stage)?.replace(/\.0$/, '') ?? '');
    const [start_ms, end_ms] = [instantIn(cells.start_time), instantIn(cells.end_time)];
    if (stage === undefined) return [skipped('sleep', 'The stage is not known.')];
    if (id === null || start_ms === null || end_ms === null || end_ms <= start_ms)
      return [skipped('sleep', 'The stage has no sleep or no time.')];
    const all = this.#stages.get(id) ?? [];
    all.push({ stage, start_ms, end_ms });
    this.#stages.set(id, all);
    return [];
  }

  /** Adds a row of `sleep_combined`. */
  addCombined(cells: Cells): Entry[] {
    const [id, score] = [textIn(cells.datauuid), scoreIn(cells.sleep_score)];
    if (id !== null && score !== null) this.#combined.set(id, score);
    return [];
  }

  /** All nights, when the tables have been read. */
  read(): Entry[] {
    const rows = [...this.#rows.values()].toSorted(
      (a, b) => a.span.start_ms - b.span.start_ms || (a.id < b.id ? -1 : 1),
    );
    const [own, others] = [
      rows.filter(({ source }) => source.app === null),
      rows.filter(({ source }) => source.app !== null),
    ];
    const groups = groupsOf(own);
    const alone = groupsOf(others).filter((group) => !groups.some((one) => overlap(one, group)));
    const left = others.length - alone.reduce((sum, group) => sum + group.length, 0);
    const note = skipped('sleep', 'Samsung Health has a sleep at the time of that of another app.', left);
    return [...[...groups, ...alone].map((group) => this.#entryOf(group)), ...(left > 0 ? [note] : [])];
  }

  #entryOf(rows: readonly SleepRow[]): Entry {
    const phases = rows.flatMap((row) => this.#phasesOf(row));
    const start_ms = Math.min(...rows.map(({ span }) => span.start_ms));
    const end_ms = Math.max(...rows.map(({ span }) => span.end_ms));
    // The score and the efficiency are those of the longest part.
    const byLength = rows.toSorted((a, b) => lengthOf(b) - lengthOf(a));
    const combined = rows.flatMap(({ combined: id }) => id ?? [])[0];
    const score =
      (combined === undefined ? undefined : this.#combined.get(combined)) ??
      byLength.find((row) => row.score !== null)?.score ??
      null;
    const efficiency = byLength.find((row) => row.efficiency !== null)?.efficiency ?? null;
    const night: SleepRecord = {
      ...sessionOf({ phases, start_ms, end_ms }),
      device: (byLength.find(({ id }) => this.#stages.has(id)) ?? byLength[0])?.source.device ?? 'unknown',
      score: score === null ? null : Math.round(score),
      details:
        efficiency === null
          ? null
          : {
              validation: null,
              score_qualifier: null,
              score_parts: [],
              latency_seconds: null,
              extra: { efficiency },
            },
    };
    const item: StoreItem = {
      ...bareItem,
      data_type: 'samsung_sleep',
      key: combined ?? byLength[0]?.id ?? String(start_ms),
      supersede: 'latest',
      hash: hash('sha256', JSON.stringify(night), 'base64url'),
      duration_seconds: Math.round((end_ms - start_ms) / 1000),
      sleeps: [night],
    };
    return { kind: 'item', item, type: 'sleep', span: { start_ms, end_ms } };
  }

  // A row without stages says that the user was asleep.
  #phasesOf({ id, span, source }: SleepRow): NightPhase[] {
    const staged = this.#stages.get(id) ?? [];
    const whole = { ...span, stage: staged.length > 0 ? 'in_bed' : 'asleep' } as const;
    return [whole, ...staged].map((phase) => ({
      ...phase,
      id: '',
      zone_offset_minutes: span.zone_offset_minutes,
      source: id,
      device: source.device,
      device_type: source.device_type,
      score: null,
    }));
  }
}

function scoreIn(cell: unknown): number | null {
  const value = measuredIn(cell);
  return value !== null && value > 0 && value <= 100 ? value : null;
}

const lengthOf = ({ span }: SleepRow) => span.end_ms - span.start_ms;

const overlap = (a: readonly SleepRow[], b: readonly SleepRow[]) =>
  a.some(({ span: one }) =>
    b.some(({ span: other }) => one.start_ms < other.end_ms && other.start_ms < one.end_ms),
  );

/** Rows of the same combined sleep, and those that overlap. Rows are in the order of their starts. */
function groupsOf(rows: readonly SleepRow[]): SleepRow[][] {
  const groups: { rows: SleepRow[]; end: number }[] = [];
  const byCombined = new Map<string, { rows: SleepRow[]; end: number }>();
  for (const row of rows) {
    const last = groups.at(-1);
    const ofCombined = row.combined === null ? undefined : byCombined.get(row.combined);
    const overlapped = last !== undefined && row.span.start_ms < last.end ? last : undefined;
    const group = ofCombined ?? overlapped ?? { rows: [], end: 0 };
    if (group.rows.length === 0) groups.push(group);
    group.rows.push(row);
    group.end = Math.max(group.end, row.span.end_ms);
    if (row.combined !== null) byCombined.set(row.combined, group);
  }
  return groups.map((group) => group.rows);
}
