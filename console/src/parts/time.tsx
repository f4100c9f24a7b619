import { useState } from 'preact/hooks';
import { duration } from '../duration.ts';
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
function hoverOf(at: string, zone: Zone): string {
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

const dayMs = 86_400_000;

/** The date that lies this many days before today, in a zone. */
export const daysAgo = (days: number, zone: Zone = null) => dayOf(zone, Date.now() - days * dayMs);

export { duration };
