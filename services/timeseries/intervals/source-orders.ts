import type { Queryable } from '../../../mixins/database/database.ts';
import { type PriorityRow, selectPriorities } from './queries/source-priority.ts';
import type { SourceOrder } from './ranks.ts';

/** The order of sources for each series type. */
export type OrderOf = (typeId: number) => SourceOrder;

/** The orders of a user: of the type, otherwise of all types, otherwise the configured one. */
export async function sourceOrders(
  database: Queryable,
  userId: string,
  configured: SourceOrder,
): Promise<OrderOf> {
  const rows = await selectPriorities(database, userId);
  if (rows.length === 0) return () => configured;
  const byType = new Map(rows.map((row) => [row.type_id, row]));
  const everyType = orderOf(byType.get(0), configured);
  return (typeId) => orderOf(byType.get(typeId), everyType);
}

function orderOf(row: PriorityRow | undefined, otherwise: SourceOrder): SourceOrder {
  return {
    providers: row?.providers ?? otherwise.providers,
    deviceTypes: row?.device_types ?? otherwise.deviceTypes,
  };
}
