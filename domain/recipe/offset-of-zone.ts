import { offsetIn } from '../time/clocks.ts';
import type { Draft } from './draft.ts';

/** A draft with the offset of its clock at its start. A stated offset counts before that of an instant and of the time zone. */
export function withOffsetOfZone(draft: Draft): Draft {
  const { zone, zone_offset, offsetAt, start_time, isLocal = false } = draft;
  if (zone_offset !== undefined || start_time === undefined) return draft;
  const ofZone = zone === undefined ? null : offsetIn(zone, start_time, isLocal);
  const offset = offsetAt?.(start_time) ?? ofZone;
  return offset === null ? draft : { ...draft, zone_offset: offset };
}
