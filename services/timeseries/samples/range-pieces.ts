import { dayMs, hourMs, type Range } from '../../../domain/time.ts';
import { ceilTo, floorTo } from './resolutions.ts';

/** A range cut so that statistics can count it: whole UTC days, whole hours at their sides, the rest at the edges. */
export interface RangePieces {
  readonly days: Range | null;
  readonly hours: readonly Range[];
  readonly edges: readonly Range[];
}

/** Cuts a range; every instant of it is in exactly one piece. */
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
