/** Whole minutes of a number of seconds, rounded down. */
export function wholeMinutes(seconds: number | null): number | null {
  return seconds === null ? null : Math.floor(seconds / 60);
}

/** A whole number: steps and beats are counted. */
export function whole(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}

/** A mean, to a hundredth of its unit. */
export function hundredths(value: number | null): number | null {
  return value === null ? null : Math.round(value * 100) / 100;
}

/** A sum without the noise of its last binary digits: 0.1 + 0.2 is 0.3. What a provider sent stays as it was sent. */
export function clean(value: number | null): number | null {
  return value === null ? null : Math.round(value * 1e6) / 1e6;
}
