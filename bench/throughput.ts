import type { Bench } from './bench.ts';
import type { LoadTarget } from './load/load.ts';
import type { Usage } from './parent.ts';
import { type Figures, figuresOf, type Measure, median } from './rounds.ts';

/** The connections of a measurement under load. */
export const connections = 16;

/** A process whose CPU time can be read. */
export interface CpuMeter {
  usage(): Promise<Usage>;
}

/** Repeated measurements of a target under load: answers per second, and the CPU of each process that answers. */
export interface Throughput {
  readonly measure: Measure;
  /** The time within which 99 of 100 answers came, in ms. */
  p99Ms(): Figures;
  /** CPU of all processes per answer, in ms. */
  cpuMs(): Figures;
  /** The share of a core that each process used. */
  shares(): readonly number[];
}

interface Sample {
  readonly rate: number;
  readonly p99Ms: number;
  /** The share of a core. */
  readonly shares: readonly number[];
}

/** Measures the throughput of a target over many connections; `parts` are the processes that answer. */
export function measureThroughput(bench: Bench, target: LoadTarget, parts: readonly CpuMeter[]): Throughput {
  const samples: Sample[] = [];
  // The first measurement is not counted, as in the rounds.
  const counted = () => samples.slice(1);
  return {
    async measure() {
      const sample = await sampleOf(bench, target, parts);
      samples.push(sample);
      return sample.rate;
    },
    p99Ms: () => figuresOf(counted().map(({ p99Ms }) => p99Ms)),
    cpuMs: () => figuresOf(counted().map(({ rate, shares }) => (1000 * sum(shares)) / rate)),
    shares: () => parts.map((_, index) => median(counted().map(({ shares }) => shares[index] ?? 0))),
  };
}

async function sampleOf({ load, sizes }: Bench, target: LoadTarget, parts: readonly CpuMeter[]) {
  const before = await Promise.all(parts.map((part) => part.usage()));
  const { requests, seconds, p99_ms } = await load.sendLoad(target, { connections, most_ms: sizes.loadMs });
  const after = await Promise.all(parts.map((part) => part.usage()));
  const shares = after.map(({ cpu_ms }, index) => (cpu_ms - (before[index]?.cpu_ms ?? 0)) / 1000 / seconds);
  return { rate: requests / seconds, p99Ms: p99_ms, shares };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
