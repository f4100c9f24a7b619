import { ownValue } from '../../../domain/own-value.ts';

const meters = {
  m: 1,
  meter: 1,
  meters: 1,
  cm: 0.01,
  mm: 0.001,
  km: 1000,
  in: 0.0254,
  ft: 0.3048,
  yd: 0.9144,
  mi: 1609.344,
};
const millimolesToMilligrams = 18.0182;

/** Factors by the unit of the catalogue and the unit that was sent, in lower case. */
const factors: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  bpm: { bpm: 1, 'count/min': 1, 'beats/min': 1, 'count/s': 60 },
  ms: { ms: 1, s: 1000 },
  'breaths per minute': { 'count/min': 1, bpm: 1, brpm: 1, 'breaths/min': 1, 'count/s': 60 },
  'mg/dL': { 'mg/dl': 1, 'mmol/l': millimolesToMilligrams, 'g/l': 100 },
  mmHg: { mmhg: 1, kpa: 7.500_617, cmaq: 0.735_559 },
  liters: { l: 1, ml: 0.001, 'l/min': 1 },
  mL: { ml: 1, l: 1000, cl: 10, dl: 100, fl_oz_us: 29.5735 },
  cm: Object.fromEntries(Object.entries(meters).map(([unit, factor]) => [unit, factor * 100])),
  meters,
  kg: { kg: 1, g: 0.001, lb: 0.453_592_37, oz: 0.028_349_523, st: 6.350_293 },
  g: { g: 1, mg: 1e-3, mcg: 1e-6, μg: 1e-6, ug: 1e-6, kg: 1000, oz: 28.349_523, lb: 453.592_37 },
  mg: { mg: 1, g: 1000, mcg: 1e-3, μg: 1e-3, ug: 1e-3 },
  mcg: { mcg: 1, μg: 1, ug: 1, mg: 1000, g: 1e6 },
  kcal: { kcal: 1, cal: 0.001, kj: 0.239_005_7, j: 0.000_239_005_7 },
  // A rate is sent as the energy of a day.
  'kcal/day': { 'kcal/day': 1, kcal: 1, cal: 0.001, kj: 0.239_005_7, w: 20.650_09 },
  minutes: { min: 1, s: 1 / 60, ms: 1 / 60_000, hr: 60, h: 60 },
  'm/s': { 'm/s': 1, 'km/h': 1 / 3.6, 'km/hr': 1 / 3.6, 'mi/hr': 0.447_04, mph: 0.447_04 },
  watts: { w: 1, kw: 1000 },
  rpm: { rpm: 1, 'count/min': 1 },
  dB: { db: 1, dbaspl: 1, dbhl: 1 },
  percent: { '%': 1, percent: 1 },
};

/** Units that mean the unit of the catalogue itself: of types without dimension, and compound ones. */
const plain = /^(count|score|index|kg\/m\^?2|iu|%|appleeffortscore|steps)$/;
const compound = /^(ml|kcal|cal)\W*[/·*(].*(kg|min|hr)/;

/** Converts a value to a unit of the catalogue. Null: the unit is unknown for it. */
export function convert(value: number, sent: string | null, wanted: string): number | null {
  if (sent === null || sent === wanted) return value;
  // Apple's `Cal` is a kilocalorie. In any other spelling it is a calorie.
  if (sent === 'Cal' && (wanted === 'kcal' || wanted === 'kcal/day')) return value;
  const unit = plainUnit(sent);
  if (unit === '') return value;
  if (wanted === 'celsius') return celsius(value, unit);
  const known = factors[wanted];
  if (known === undefined) return plain.test(unit) || compound.test(unit) ? value : null;
  const factor = ownValue(known, unit);
  return typeof factor === 'number' ? value * factor : null;
}

const plainUnits = new Map<string, string>();
const mostUnits = 500;
/** HealthKit states the molar mass of glucose. */
const glucose = /^mmol<180\.1558800000541>(\/l|·l\^-1)$/;
/** Longer parts of a document keep the rest of it in memory. */
const longestKept = 12;

// Both SDKs write `kg/m²`; the compatibility form of `²` is `2`, and that of the micro sign the Greek letter.
function plainUnit(sent: string): string {
  const known = plainUnits.get(sent);
  if (known !== undefined) return known;
  const unit = sent.trim().normalize('NFKC').toLowerCase().replace(glucose, 'mmol/l');
  if (sent.length <= longestKept && plainUnits.size < mostUnits) plainUnits.set(sent, unit);
  return unit;
}

function celsius(value: number, unit: string): number | null {
  if (['degc', 'c', '°c', 'celsius'].includes(unit)) return value;
  if (['degf', 'f', '°f'].includes(unit)) return ((value - 32) * 5) / 9;
  return unit === 'k' ? value - 273.15 : null;
}
