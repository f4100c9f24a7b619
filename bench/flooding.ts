import type { Bench } from './bench.ts';
import type { LoadTarget } from './load/load.ts';
import type { Usage } from './parent.ts';
import { type Figures, figuresOf, type Measure, median } from './rounds.ts';

/** The connections of a measurement under load. */
export const connections = 16;

/** Something that tells what CPU it has used. */
export interface Metered {
  usage(): Promise<Usage>;
}

/** A target under load, again and again: answers a second, and the CPU of each process behind it. */
export interface Flooding {
  readonly measure: Measure;
  /** CPU of all processes for an answer, in ms. */
  cpuMs(): Figures;
  /** The share of a core that each process took. */
  shares(): readonly number[];
}

interface Sample {
  readonly rate: number;
  /** Of a core. */
  readonly shares: readonly number[];
}

/** Measures a target over many connections; `parts` are the processes that answer. */
export function flooding(bench: Bench, target: LoadTarget, parts: readonly Metered[]): Flooding {
  const samples: Sample[] = [];
  // The first one does not count, here as in the rounds.
  const counted = () => samples.slice(1);
  return {
    async measure() {
      const sample = await sampleOf(bench, target, parts);
      samples.push(sample);
      return sample.rate;
    },
    cpuMs: () => figuresOf(counted().map(({ rate, shares }) => (1000 * sum(shares)) / rate)),
    shares: () => parts.map((_, index) => median(counted().map(({ shares }) => shares[index] ?? 0))),
  };
}

async function sampleOf({ load, sizes }: Bench, target: LoadTarget, parts: readonly Metered[]) {
  const before = await Promise.all(parts.map((part) => part.usage()));
  const { requests, seconds } = await load.flood(target, { connections, most_ms: sizes.loadMs });
  const after = await Promise.all(parts.map((part) => part.usage()));
  const shares = after.map(({ cpu_ms }, index) => (cpu_ms - (before[index]?.cpu_ms ?? 0)) / 1000 / seconds);
  return { rate: requests / seconds, shares };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
