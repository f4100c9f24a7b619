/** Plain numbers of fields whose value the simulation does not have, by unit. */
const numbers: Readonly<Record<string, number>> = {
  percent: 88,
  '0-1': 0.88,
  '0-100': 80,
  bpm: 62,
  ms: 900,
  s: 600,
  min: 10,
  m: 120,
  meters: 120,
  kcal: 310,
  kJ: 1300,
  J: 41_840,
  rpm: 84,
  watts: 150,
  W: 150,
  'm/s': 2.8,
  celsius: 21,
  'breaths/min': 14,
  'mg/dL': 104,
};

/** A plain number of a unit. */
export const plainNumber = (unit: string): number => numbers[unit] ?? 4;
