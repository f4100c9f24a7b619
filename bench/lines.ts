import type { Load, LoadTarget } from './load/load.ts';
import type { Usage } from './parent.ts';
import { inRounds, median } from './rounds.ts';
import { figure, type Goal, type Pair, pairRow, type Row, type Single, singleRow } from './row.ts';
import type { Sizes } from './sizes.ts';

/** The connections of a measurement under load. */
export const connections = 16;

/** Response times over one connection, one request at a time to each target in turn: the medians of A and B in ms. */
interface Times extends Common {
  readonly times: readonly [a: LoadTarget, b: LoadTarget];
  /** A third target, whose time is noted behind that of B. */
  readonly beside?: readonly [name: string, target: LoadTarget];
}

/** Answers a second over 16 connections, and the CPU of the processes that answer. */
interface Rates extends Common {
  readonly rates: readonly [a: Served, b: Served];
  /** Adds a line with the time within which 99 of 100 answers came, and its goal. */
  readonly p99?: Goal;
  /** The goal of the CPU of an answer. */
  readonly cpu?: Goal;
}

/** Requests, and the processes that answer them. */
export interface Served extends LoadTarget {
  readonly parts?: readonly { usage(): Promise<Pick<Usage, 'cpu_ms'>> }[];
}

/** Other measurements of A and B, by default in as many rounds as response times. */
interface Sides extends Common {
  readonly sides: readonly [a: () => Promise<number>, b: () => Promise<number>];
  readonly unit: Pair['unit'];
  readonly rounds?: number;
}

interface Common extends Pick<Pair, 'what' | 'goal'> {
  /** Adds a line with the figure of A alone, and its goal. */
  readonly alone?: Pick<Single, 'what' | 'goal'> | undefined;
}

/** A line of a measurement as data: what is compared, or figures. A text is a part of the description above the table. */
export type Line = string | Times | Rates | Sides | Pair | Single | Row;

/** What a line is measured with. */
export interface Meter {
  readonly load: Load;
  readonly sizes: Sizes;
}

/** Measures a line; returns its rows of the report. */
export async function rowsOf(bench: Meter, line: Exclude<Line, string>): Promise<Row[]> {
  if ('times' in line) return timesRows(bench, line);
  if ('rates' in line) return ratesRows(bench, line);
  if ('sides' in line) {
    const [a = [], b = []] = await inRounds(line.rounds ?? bench.sizes.rounds, line.sides);
    return pairRows(line, { ...line, figures: [a, b] });
  }
  if ('figures' in line) return [pairRow(line)];
  return ['value' in line ? singleRow(line) : line];
}

function pairRows({ alone }: Common, pair: Pair): Row[] {
  const { figures, unit } = pair;
  return [
    pairRow(pair),
    ...(alone === undefined ? [] : [singleRow({ ...alone, value: median(figures[0]), unit })]),
  ];
}

async function timesRows({ load, sizes }: Meter, line: Times): Promise<Row[]> {
  const [name = '', beside] = line.beside ?? [];
  const targets = [...line.times, ...(beside === undefined ? [] : [beside])];
  const turns = () => load.turns(targets, sizes.requestsPerRound);
  const [rounds = []] = await inRounds(sizes.rounds, [turns]);
  const [a = [], b = [], c = []] = targets.map((_, at) => rounds.map((medians) => medians[at] ?? Number.NaN));
  const note = beside === undefined ? '' : `(${name}: ${figure(median(c), 'ms')})`;
  return pairRows(line, { ...line, figures: [a, b], unit: 'ms', notes: ['', note] });
}

async function ratesRows(bench: Meter, line: Rates): Promise<Row[]> {
  const { what, rates, p99, cpu: cpuGoal } = line;
  const measures = rates.map((side) => () => answersOf(bench, side));
  const [a = [], b = []] = await inRounds(bench.sizes.throughputRounds, measures);
  const of = (read: (one: Answers) => number) => [a.map(read), b.map(read)] as const;
  const figures = of(({ cpuMs }) => cpuMs);
  const cpu: Pair = { what: `${what}: CPU of an answer`, figures, unit: 'ms', goal: cpuGoal };
  const slow: Pair = { what: `${what}: p99`, figures: of(({ p99Ms }) => p99Ms), unit: 'ms', goal: p99 };
  return [
    ...pairRows(line, { ...line, figures: of(({ perSecond }) => perSecond), unit: '/s' }),
    ...(rates.every(({ parts }) => parts !== undefined) ? [pairRow(cpu)] : []),
    ...(p99 === undefined ? [] : [pairRow(slow)]),
  ];
}

interface Answers {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** CPU of all processes for one answer. */
  readonly cpuMs: number;
}

async function answersOf({ load, sizes }: Meter, served: Served): Promise<Answers> {
  const cpuMs = async () => {
    const usages = await Promise.all((served.parts ?? []).map((part) => part.usage()));
    return usages.reduce((sum, { cpu_ms }) => sum + cpu_ms, 0);
  };
  const before = await cpuMs();
  const { requests, seconds, p99_ms } = await load.sendLoad(served, { connections, most_ms: sizes.loadMs });
  return { perSecond: requests / seconds, p99Ms: p99_ms, cpuMs: ((await cpuMs()) - before) / requests };
}
