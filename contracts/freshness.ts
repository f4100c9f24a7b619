import { z } from 'zod';
import { action, contract, Nothing } from '../domain/contract.ts';
import { freshnessStates } from '../domain/freshness/state.ts';
import { CursorParameter, limitUpTo } from '../domain/page.ts';
import { Timestamp, UserId } from '../domain/wire.ts';
import { ProviderName } from '../providers/all.ts';
import { FreshDataType, IncidentReason } from './fields.ts';
import { onUserErased } from './lifecycle.ts';
import { ForwardPagination } from './webhooks/schemas.ts';

const FreshnessState = z.enum(freshnessStates).meta({
  id: 'FreshnessState',
  description:
    '`fresh`: data arrived within the expected time, or none is expected. `late`: it did not. `stale`: nothing arrived for twice the expected time, or the provider refused the access. `silent`: there never was data of this kind. `paused`: the user does not share it, or does not wear the device.',
});

/** One kind of data of a connection. */
const DataFreshness = z
  .object({
    data_type: FreshDataType,
    state: FreshnessState,
    since: Timestamp.describe('When the state began.'),
    last_arrival_at: Timestamp.nullable().describe(
      'When current data last arrived. Null if none did: data of a backfill does not count.',
    ),
    last_data_at: Timestamp.nullable().describe('The latest time that stored data is of.'),
    expected_within_seconds: z
      .int()
      .nullable()
      .describe('The time within which more is expected after the last arrival. Null: nothing is expected.'),
    repairs: z.int().describe('Reads that were made since the last arrival in order to find missing data.'),
    repaired_at: Timestamp.nullable().describe('When the last of them was made.'),
  })
  .meta({ id: 'DataFreshness' });

const Gap = z
  .object({
    data_type: FreshDataType,
    first_date: z.string().meta({ format: 'date' }),
    last_date: z.string().meta({ format: 'date' }),
  })
  .meta({
    id: 'DataGap',
    description:
      'Local days without data of a kind, both included, on which other data of the same provider exists.',
  });

/** The freshness of a connection. */
export const ConnectionFreshness = z
  .object({
    connection_id: z.string(),
    provider: ProviderName,
    state: FreshnessState.describe(
      'The worst of `data_types`. `silent` or `paused` only if all of them are one of both.',
    ),
    stale_since: Timestamp.nullable().describe(
      'When `connection.stale` was reported. Null: it is not stale.',
    ),
    action: z
      .enum(['reconnect', 'open_app'])
      .nullable()
      .describe(
        'What only the user can do: `reconnect`, the provider refused the access; `open_app`, the app of the user has uploaded nothing.',
      ),
    incident: z.boolean().describe('The provider has an incident now, see `/incidents`.'),
    data_types: z.array(DataFreshness),
    gaps: z.array(Gap).describe('Gaps of the last 28 days.'),
  })
  .meta({ id: 'ConnectionFreshness' });

const FreshnessRow = DataFreshness.extend({
  user_id: z.string(),
  connection_id: z.string(),
  provider: ProviderName,
}).meta({ id: 'FreshnessRow' });

/** A disturbance of a provider. */
export const Incident = z
  .object({
    id: z.string(),
    provider: ProviderName,
    reason: IncidentReason,
    started_at: Timestamp,
    ended_at: Timestamp.nullable().describe('Null: it continues.'),
  })
  .meta({ id: 'Incident' });

/** Whether data arrives as expected, and what was done about it. */
export const freshness = contract('freshness', {
  ofUser: action({
    summary: "Get the freshness of a user's connections",
    description:
      'One entry for each connection whose data is expected, with the state of each kind of data. Missing data is read again automatically before it counts as stale.',
    params: z.object({ user_id: UserId }),
    returns: z.object({ data: z.array(ConnectionFreshness) }).meta({ id: 'UserFreshness' }),
    http: { method: 'GET', path: '/users/:user_id/freshness', access: 'users.read', tag: 'Freshness' },
  }),
  list: action({
    summary: 'List connections and kinds of data in a state',
    params: z.object({
      state: FreshnessState.default('stale').describe('The state. Default: `stale`.'),
      provider: ProviderName.optional().describe('Only connections of this provider.'),
      limit: limitUpTo(500, 100),
      cursor: CursorParameter,
    }),
    returns: z
      .object({
        data: z.array(FreshnessRow),
        pagination: ForwardPagination,
      })
      .meta({ id: 'FreshnessPage' }),
    http: { method: 'GET', path: '/freshness', access: 'users.list', tag: 'Freshness' },
  }),
  incidents: action({
    summary: 'List incidents of providers, newest first',
    description: 'Those of the last 90 days, at most 100.',
    params: Nothing,
    returns: z.object({ data: z.array(Incident) }).meta({ id: 'IncidentList' }),
    http: { method: 'GET', path: '/incidents', access: 'providers.read', tag: 'Freshness' },
  }),
  forgetUser: onUserErased('Forget the arrivals of a deleted user'),
});

export type ConnectionFreshness = z.infer<typeof ConnectionFreshness>;
export type FreshnessRow = z.infer<typeof FreshnessRow>;
export type Incident = z.infer<typeof Incident>;
