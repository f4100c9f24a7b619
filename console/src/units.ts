import { signal } from '@preact/signals';
import { paceText } from './parts/charts/pace.ts';

/** The units in which people read lengths, weights and temperatures. */
export type Units = 'metric' | 'imperial';

const stored = 'pulsebus.units';

function usual(): Units {
  const chosen = choice();
  if (chosen === 'metric' || chosen === 'imperial') return chosen;
  return /-(US|LR|MM)\b/.test(navigator.language) ? 'imperial' : 'metric';
}

// Browsers refuse the storage to a page within a page of another site.
function choice(): string | null {
  try {
    return localStorage.getItem(stored);
  } catch {
    return null;
  }
}

/** The units of this browser: those that were chosen, otherwise those of its language. */
export const units = signal<Units>(usual());

/** Chooses units for this browser. */
export function chooseUnits(chosen: Units): void {
  localStorage.setItem(stored, chosen);
  units.value = chosen;
}

const metersPerMile = 1609.344;

/** A number with at most this many digits behind the point. */
export const digits = (value: number, most: number) =>
  value.toLocaleString(undefined, { maximumFractionDigits: most });

/** The length in which pace and splits are counted, in meters, and its name. */
export const longLength = (of: Units = units.value) =>
  of === 'metric' ? { meters: 1000, name: 'km' } : { meters: metersPerMile, name: 'mi' };

/** A way: `5.2 km`, `3.23 mi`. */
export function distance(meters: number, of: Units = units.value): string {
  const { meters: length, name } = longLength(of);
  return `${digits(meters / length, 2)} ${name}`;
}

/** A height: `52 m`, `171 ft`. */
export const elevation = (meters: number, of: Units = units.value) =>
  of === 'metric' ? `${digits(meters, 0)} m` : `${digits(meters / 0.3048, 0)} ft`;

/** A weight: `70.5 kg`, `155.4 lb`. */
export const weight = (kilograms: number, of: Units = units.value) =>
  of === 'metric' ? `${digits(kilograms, 1)} kg` : `${digits(kilograms / 0.45359237, 1)} lb`;

/** A temperature: `36.6 °C`, `97.9 °F`. */
export const temperature = (celsius: number, of: Units = units.value) =>
  of === 'metric' ? `${digits(celsius, 1)} °C` : `${digits(celsius * 1.8 + 32, 1)} °F`;

/** The time for a kilometre or a mile from that for a kilometre: `5:12 min/km`. */
export function pace(secondsPerKm: number, of: Units = units.value): string {
  const { meters, name } = longLength(of);
  return `${paceText((secondsPerKm * meters) / 1000)} min/${name}`;
}

const metersPerYard = 0.9144;

/** The length in which a swimmer's pace is counted, in meters, and its name. */
export const swimLength = (of: Units = units.value) =>
  of === 'metric' ? { meters: 100, name: '100 m' } : { meters: 100 * metersPerYard, name: '100 yd' };

/** The time for 100 m or 100 yards in the water from that for a kilometre: `1:52 min/100 m`. */
export function swimPace(secondsPerKm: number, of: Units = units.value): string {
  const { meters, name } = swimLength(of);
  return `${paceText((secondsPerKm * meters) / 1000)} min/${name}`;
}

/** How many km/h or mph a m/s is. */
export const speedUnits = (of: Units = units.value) => 3600 / longLength(of).meters;

/** A speed in m/s: `27.4 km/h`, `17 mph`. */
export const speed = (metersPerSecond: number, of: Units = units.value) =>
  `${digits(metersPerSecond * speedUnits(of), 1)} ${of === 'metric' ? 'km/h' : 'mph'}`;

/** How many meters or feet of a height a meter is. */
export const elevationUnits = (of: Units = units.value) => (of === 'metric' ? 1 : 1 / 0.3048);

/** How many kg or lb a kilogram is. */
export const weightUnits = (of: Units = units.value) => (of === 'metric' ? 1 : 1 / 0.45359237);

/** The height of a person: `178 cm`, `5 ft 10 in`. */
export function bodyHeight(centimeters: number, of: Units = units.value): string {
  if (of === 'metric') return `${digits(centimeters, 0)} cm`;
  const inches = Math.round(centimeters / 2.54);
  return `${Math.floor(inches / 12)} ft ${inches % 12} in`;
}
