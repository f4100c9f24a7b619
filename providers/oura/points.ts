import type { Point } from '../../domain/recipe/draft.ts';
import { instantWithOffset, isItem } from '../../domain/recipe/read-fields.ts';

/** Values at a fixed interval in seconds from a time on: `{ interval, items, timestamp }`. Items may be null. */
export function pointsOfArray(value: unknown): Point[] {
  if (!isItem(value)) return [];
  const { interval, items, timestamp } = value;
  const start = instantWithOffset(timestamp);
  if (start === null || typeof interval !== 'number' || interval <= 0 || !Array.isArray(items)) return [];
  return items.flatMap((item: unknown, index): Point[] =>
    typeof item === 'number' ? [[start.ms + index * interval * 1000, item]] : [],
  );
}
