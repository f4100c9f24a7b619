/** As `duration`; an empty text where it is not known. */
export const durationOf = (seconds: number | null | undefined): string =>
  typeof seconds === 'number' ? duration(seconds) : '';

/** A number of seconds as people say it: `3 min`, `2 h 5 min`, `4 d`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.round(hours / 24)} d`;
}
