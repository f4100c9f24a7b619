const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** A time in the zone of the browser, with UTC on hover. */
export function Time({ at }: { at: string | null }) {
  if (at === null) return <span class="faint">never</span>;
  return (
    <time dateTime={at} title={`${at} (UTC)`}>
      {local.format(new Date(at))}
    </time>
  );
}

/** A number of seconds as people say it: `3 min`, `2 h 5 min`, `4 d`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.round(hours / 24)} d`;
}

/** A local date, YYYY-MM-DD. */
export function dayOf(time: Date): string {
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())}`;
}

const dayMs = 86_400_000;

/** The date that lies this many days before today. */
export const daysAgo = (days: number) => dayOf(new Date(Date.now() - days * dayMs));
