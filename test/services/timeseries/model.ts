/** What the API must answer, computed the long way round from a plain list of samples. */
export interface ModelSample {
  readonly type: string;
  readonly device: string;
  readonly ms: number;
  readonly value: number;
}

export interface ModelBucket {
  readonly timestamp: number;
  readonly type: string;
  readonly device: string;
  readonly value: number;
}

const reducers: Readonly<Record<string, (samples: readonly ModelSample[]) => number>> = {
  heart_rate: mean,
  steps: (samples) => samples.reduce((total, { value }) => total + value, 0),
  weight: (samples) => samples.reduce((a, b) => (b.ms > a.ms ? b : a)).value,
  environmental_audio_exposure: (samples) =>
    10 * Math.log10(samples.reduce((total, { value }) => total + 10 ** (value / 10), 0) / samples.length),
};

export const modelTypes = ['heart_rate', 'steps', 'weight', 'environmental_audio_exposure'] as const;
export const minutesOf: Readonly<Record<string, number>> = { '1min': 1, '5min': 5, '15min': 15, '1hour': 60 };

function mean(samples: readonly ModelSample[]): number {
  return samples.reduce((total, { value }) => total + value, 0) / samples.length;
}

/** Raw samples of [start, end), or the buckets of that range widened to whole ones. */
export function expected(
  samples: readonly ModelSample[],
  startMs: number,
  endMs: number,
  resolution: string,
): ModelBucket[] {
  const width = (minutesOf[resolution] ?? 0) * 60_000;
  if (width === 0)
    return samples
      .filter(({ ms }) => ms >= startMs && ms < endMs)
      .map(({ ms, ...rest }) => ({ timestamp: ms, ...rest }));
  const first = startMs - (startMs % width);
  const groups = new Map<string, ModelSample[]>();
  for (const sample of samples) {
    const bucket = sample.ms - (sample.ms % width);
    if (bucket < first || bucket >= endMs) continue;
    const key = JSON.stringify([bucket, sample.type, sample.device]);
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  return [...groups].map(([key, members]) => {
    const [timestamp, type, device] = JSON.parse(key);
    return { timestamp, type, device, value: (reducers[type] ?? mean)(members) };
  });
}

/** A canonical order, independent of the order of series. */
export function inOrder(list: readonly ModelBucket[]): ModelBucket[] {
  const place = ({ timestamp, type, device }: ModelBucket) =>
    `${String(timestamp).padStart(15, '0')} ${type} ${device}`;
  return list.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
}

/** Whether two values are one, but for the order in which their terms were added. */
export function isClose(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
}

/** Numbers in [0, 1) that are the same in every run. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}
