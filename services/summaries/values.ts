import { withoutNoise } from '../../domain/json/decimals.ts';

/** A whole number: steps and beats are counted. */
export function whole(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}

/** A mean, to a hundredth of its unit. */
export function hundredths(value: number | null): number | null {
  return value === null ? null : Math.round(value * 100) / 100;
}

/** As `withoutNoise`, of a value that may not be there. */
export function clean(value: number | null): number | null {
  return value === null ? null : withoutNoise(value);
}
