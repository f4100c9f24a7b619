import { z } from 'zod';
import type { SourcePriority } from '../../../contracts/timeseries/source-priority.ts';
import type { timeseries } from '../../../contracts/timeseries.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { DeviceType, SummedTypeName } from '../../../domain/records/interval-records.ts';
import { seriesById, seriesOf } from '../../../domain/records/series.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { ProviderName } from '../../../providers/all.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { SourceOrder } from '../rules/sources.ts';
import { lockUser } from '../tables/erasures.ts';
import { type PriorityRow, selectPriorities, upsertPriority } from '../tables/interval-series.ts';
import { enqueueSettlement } from '../work/settle-intervals.ts';

const Providers = z.array(ProviderName);
const DeviceTypes = z.array(DeviceType);

/** The order of sources of a user. */
export async function readSourcePriority(
  database: Queryable,
  configured: SourceOrder,
  userId: string,
): Promise<SourcePriority> {
  const rows = await selectPriorities(database, userId);
  return {
    configured: {
      providers: Providers.parse(configured.providers),
      device_types: DeviceTypes.parse(configured.deviceTypes),
    },
    overrides: rows.map(toWire),
  };
}

function toWire({ type_id, providers, device_types }: PriorityRow): SourcePriority['overrides'][number] {
  return {
    series_type: type_id === 0 ? null : SummedTypeName.parse(seriesById(type_id).type),
    providers: Providers.nullable().parse(providers),
    device_types: DeviceTypes.nullable().parse(device_types),
  };
}

/** Changes the order of sources of a user. Fields that are undefined stay. A job recomputes what counts. */
export function changeSourcePriority(
  database: Database,
  change: ParamsOf<typeof timeseries, 'changeSourcePriority'>,
  origin: AuditOrigin,
): Promise<void> {
  const { user_id: userId, series_type } = change;
  const typeId = series_type === null ? 0 : seriesOf(series_type).id;
  return database.transaction(async (transaction) => {
    await lockUser(transaction, userId);
    const order = (await selectPriorities(transaction, userId)).find(({ type_id }) => type_id === typeId);
    const providers = changed(order?.providers, change.providers);
    const device_types = changed(order?.device_types, change.device_types);
    await upsertPriority(transaction, userId, { type_id: typeId, providers, device_types });
    await enqueueSettlement(transaction, userId, typeId === 0 ? null : [typeId]);
    await recordAudit(transaction, origin, { action: 'user.source_priority_changed', userId });
  });
}

function changed(before: string[] | null | undefined, after: readonly string[] | null | undefined) {
  if (after === undefined) return before ?? null;
  return after === null ? null : [...after];
}
