import { useState } from 'preact/hooks';
import { useRepeated } from '../resource.ts';
import { useZone } from '../user-zone.ts';
import { dateAndMinute, dayOf, formatIn, type Zone, zoneName } from '../zone.ts';

/** A time in the zone of a record, by default that of this part of the page, with UTC on hover. */
export function Time({ at, zone: own = null }: { at: string | null; zone?: Zone }) {
  const ofPart = useZone();
  if (at === null) return <span class="faint">never</span>;
  const zone = own ?? ofPart;
  return (
    <time dateTime={at} title={hoverOf(at, zone)}>
      {formatIn(zone, dateAndMinute)(at)}
      {zone !== null && <span class="faint"> {zoneName(zone)}</span>}
    </time>
  );
}

/** The same instant in UTC, and by the clock of the one who looks where that is another. */
export function hoverOf(at: string, zone: Zone): string {
  const here = zone === null ? '' : `, ${formatIn(null, dateAndMinute)(at)} ${zoneName(null)}`;
  return `${at} (UTC)${here}`;
}

const renewedMs = 20_000;

/** How long ago an instant was, renewed as time goes on; the instant itself on hover. */
export function Ago({ at }: { at: string | null }) {
  const zone = useZone();
  const [now, setNow] = useState(Date.now);
  useRepeated(renewedMs, () => setNow(Date.now()));
  if (at === null) return <span class="faint">never</span>;
  const seconds = Math.max(0, (now - Date.parse(at)) / 1000);
  return (
    <time dateTime={at} title={hoverOf(at, zone)}>
      {seconds < 60 ? 'just now' : `${duration(seconds)} ago`}
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

const dayMs = 86_400_000;

/** The date that lies this many days before today, in a zone. */
export const daysAgo = (days: number, zone: Zone = null) => dayOf(zone, Date.now() - days * dayMs);
