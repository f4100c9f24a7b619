import { dayMs, hourMs, type Range } from '../../../domain/time/time.ts';
import { ceilTo, floorTo } from './resolutions.ts';

/**
 * A range that is cut for counting by statistics: whole UTC days, whole hours beside them, and the rest at the edges.
 */
export interface RangePieces {
  readonly days: Range | null;
  readonly hours: readonly Range[];
  readonly edges: readonly Range[];
}

/** Cuts a range. Every instant is in exactly one piece. */
export function piecesOf({ startMs, endMs }: Range): RangePieces {
  const outer = cut({ startMs, endMs }, hourMs);
  if (outer.inner === null) return { days: null, hours: [], edges: outer.sides };
  const { inner, sides } = cut(outer.inner, dayMs);
  return { days: inner, hours: sides, edges: outer.sides };
}

function cut({ startMs, endMs }: Range, widthMs: number): { inner: Range | null; sides: Range[] } {
  const innerStartMs = Math.min(ceilTo(startMs, widthMs), endMs);
  const innerEndMs = Math.max(floorTo(endMs, widthMs), innerStartMs);
  const sides = [
    { startMs, endMs: innerStartMs },
    { startMs: innerEndMs, endMs },
  ];
  return {
    inner: innerStartMs < innerEndMs ? { startMs: innerStartMs, endMs: innerEndMs } : null,
    sides: sides.filter((side) => side.startMs < side.endMs),
  };
}
