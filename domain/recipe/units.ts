/** Factors from the units of providers to those of our records, by the unit of the record. */
const factors: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  s: { s: 1, ms: 0.001, '0.1 s': 0.1, min: 60, h: 3600 },
  ms: { ms: 1, s: 1000 },
  minutes: { min: 1, s: 1 / 60, ms: 1 / 60_000 },
  meters: { m: 1, km: 1000, cm: 0.01, mm: 0.001, mi: 1609.344 },
  cm: { cm: 1, m: 100, mm: 0.1 },
  kcal: { kcal: 1, kJ: 1 / 4.184, J: 1 / 4184 },
  'kcal/day': { 'kcal/day': 1 },
  kJ: { kJ: 1, J: 0.001, W·min: 0.06 },
  kg: { kg: 1, g: 0.001, lb: 0.45359237 },
  'm/s': { 'm/s': 1, 'mm/s': 0.001, 'km/h': 1 / 3.6 },
  's/km': { 's/km': 1, 'min/km': 60 },
  bpm: { bpm: 1, Hz: 60 },
  rpm: { rpm: 1, 'steps/min': 0.5, 'strokes/min': 1 },
  'breaths per minute': { 'breaths/min': 1, Hz: 60 },
  'strokes per minute': { 'strokes/min': 1 },
  watts: { W: 1 },
  percent: { percent: 1, '0-1': 100 },
  celsius: { celsius: 1 },
  score: { '0-100': 1, count: 1 },
  count: { count: 1, floors: 1, steps: 1 },
  years: { years: 1 },
  MET: { MET: 1 },
  'ml/kg/min': { 'ml/kg/min': 1 },
  mmHg: { mmHg: 1 },
  'mg/dL': { 'mg/dL': 1, 'mmol/L': 18.0156 },
  mL: { mL: 1, L: 1000 },
};

/** The factor from a provider's unit to one of ours. @throws Error if there is no conversion: a table states a wrong unit */
export function factorOf(from: string | null, to: string | null): number {
  if (from === to || from === null || to === null) return 1;
  const factor = factors[to]?.[from];
  if (factor === undefined) throw new Error(`no conversion from ${from} to ${to}`);
  return factor;
}

/** The units of columns by the end of their names. The longer names stand first. */
const suffixes: readonly (readonly [suffix: string, unit: string])[] = [
  ['meters_per_second', 'm/s'],
  ['strokes_per_minute', 'strokes per minute'],
  ['sec_per_km', 's/km'],
  ['seconds', 's'],
  ['meters', 'meters'],
  ['kilojoules', 'kJ'],
  ['kcal', 'kcal'],
  ['bpm', 'bpm'],
  ['rpm', 'rpm'],
  ['watts', 'watts'],
  ['celsius', 'celsius'],
  ['_ms', 'ms'],
];

/** Values out of these ranges count as absent, by unit. The store refuses some of them, and none is a measurement. */
const ranges: Readonly<Record<string, readonly [least: number, most: number]>> = {
  s: [0, 31 * 86_400],
  's/km': [0, 86_400],
  meters: [0, 10_000_000],
  kcal: [0, 100_000],
  kJ: [0, 400_000],
  bpm: [1, 300],
  rpm: [0, 500],
  watts: [0, 10_000],
  'm/s': [0, 150],
  celsius: [-100, 100],
  ms: [0, 10_000],
};
/** A height may be below sea level. A gain or a loss has the same range. */
const heightRange = [-1000, 10_000_000] as const;
const otherRange = [0, 1_000_000] as const;

/** The unit of a column of a record, by its name; null if it has none. */
export function columnUnit(name: string): string | null {
  return suffixes.find(([suffix]) => name.endsWith(suffix))?.[1] ?? null;
}

/** The range of the values that a column can have. */
export function rangeOf(name: string): readonly [least: number, most: number] {
  return name.startsWith('elevation_') ? heightRange : (ranges[columnUnit(name) ?? ''] ?? otherRange);
}
