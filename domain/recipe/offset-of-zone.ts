import { offsetIn } from '../time/clocks.ts';
import type { Draft } from './draft.ts';

/** A draft with the offset that the clocks of its time zone have at its start. A stated offset counts before the zone. */
export function withOffsetOfZone(draft: Draft): Draft {
  const { zone, zone_offset, start_time, isLocal = false } = draft;
  if (zone === undefined || zone_offset !== undefined || start_time === undefined) return draft;
  const offset = offsetIn(zone, start_time, isLocal);
  return offset === null ? draft : { ...draft, zone_offset: offset };
}
