import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { DeviceType, SummedTypeName } from '../../domain/records/interval-records.ts';
import { UserId } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';

const distinct = <T extends z.ZodType>(of: T) =>
  z
    .array(of)
    .min(1)
    .max(50)
    .refine((list) => new Set(list).size === list.length, 'must not name anything twice');
const Providers = distinct(ProviderName);
const DeviceTypes = distinct(DeviceType);

/** The order of sources for one series type of a user, or for all of them. */
const SourceOrderEntry = z
  .object({
    series_type: SummedTypeName.nullable().describe('Null: all series types without an entry of their own.'),
    providers: Providers.nullable().describe('Best first. Null: the order of the entry for all types.'),
    device_types: DeviceTypes.nullable().describe('Best first. Null: the order of the entry for all types.'),
  })
  .meta({ id: 'SourceOrderEntry' });

/** The configured order of sources, and what a user has instead. */
export const SourcePriority = z
  .object({
    configured: z
      .object({ providers: z.array(ProviderName), device_types: z.array(DeviceType) })
      .describe('The settings SOURCE_PRIORITY and DEVICE_PRIORITY.'),
    overrides: z.array(SourceOrderEntry),
  })
  .meta({
    id: 'SourcePriority',
    description: 'The order in which sources count where several measured the same time.',
  });

const path = '/users/:user_id/source-priority' as const;

/** The order of sources of a user. */
export const sourcePriorityActions = {
  sourcePriority: action({
    summary: 'Get the order of sources of a user',
    params: z.object({ user_id: UserId }),
    returns: SourcePriority,
    http: { method: 'GET', path, access: 'data.read', reads: 'settings', tag: 'Data' },
  }),
  changeSourcePriority: action({
    summary: 'Change the order of sources of a user',
    description:
      'Where several sources measured the same time in intervals, the first provider counts, and of one provider the first device type. What an order does not name comes after what it names. Days and hours are computed anew in the background; `activity_summary.updated` reports the days that change.',
    params: z
      .object({
        user_id: UserId,
        series_type: SummedTypeName.nullable()
          .default(null)
          .describe('The series type. Default: all types without an order of their own.'),
        providers: Providers.nullable().optional().describe('Best first. Null removes the order.'),
        device_types: DeviceTypes.nullable().optional().describe('Best first. Null removes the order.'),
      })
      .meta({ id: 'SourcePriorityChange' }),
    returns: SourcePriority,
    http: { method: 'PATCH', path, access: 'data.write', tag: 'Data', audit: 'user.source_priority_changed' },
    idempotent: true,
  }),
};
export type SourcePriority = z.infer<typeof SourcePriority>;
