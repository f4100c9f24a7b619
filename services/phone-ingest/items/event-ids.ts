import type { StoreItem } from '../../../domain/records/records.ts';

/** The ids whose deletion on the phone deletes an event: its own, and that of its meal. */
export function idsOfEvent({ key, other }: StoreItem): string[] {
  const meal = other?.data.meal_id;
  return typeof meal === 'string' && meal !== key ? [key, meal] : [key];
}

/** Whether an event, or its meal, was deleted on the phone. */
export function isGone(event: StoreItem, gone: ReadonlySet<string>): boolean {
  return idsOfEvent(event).some((id) => gone.has(id));
}
