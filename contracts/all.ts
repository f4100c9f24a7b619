import type { ActionDefinition, ActionsOf, Contract, Lifecycle } from '../domain/contract.ts';
import type { ProviderName } from '../providers/all.ts';
import { activitynetIngest } from './activitynet-ingest.ts';
import { apiGateway } from './api-gateway.ts';
import { auth } from './auth.ts';
import { backfill } from './backfill.ts';
import { connect } from './connect.ts';
import { deliveries } from './deliveries.ts';
import { destinations } from './destinations.ts';
import { devicemakerIngest } from './devicemaker-ingest.ts';
import { fhir } from './fhir.ts';
import { fileImport } from './file-import.ts';
import { freshness } from './freshness.ts';
import { insights } from './insights.ts';
import { phoneIngest } from './phone-ingest.ts';
import { pullIngest } from './pull-ingest.ts';
import { summaries } from './summaries.ts';
import { timeseries } from './timeseries.ts';
import { users } from './users.ts';
import { webhooks } from './webhooks.ts';

/** The contracts of all services. */
export const contracts = [
  apiGateway,
  auth,
  users,
  timeseries,
  summaries,
  devicemakerIngest,
  activitynetIngest,
  phoneIngest,
  fileImport,
  pullIngest,
  connect,
  deliveries,
  backfill,
  webhooks,
  freshness,
  insights,
  destinations,
  fhir,
] as const;

type Together<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer All) => void
  ? All
  : never;
type AllActions = Together<ActionsOf<(typeof contracts)[number]>>;

/** The parameters and the answer of every remote call, by its full name. */
export interface Actions extends AllActions {}

/** Every action by its full name (`users.get`). */
export const actionsByName: ReadonlyMap<string, ActionDefinition> = new Map(
  contracts.flatMap((one: Contract) =>
    Object.entries(one.actions).map(([name, definition]) => [`${one.name}.${name}`, definition] as const),
  ),
);

/** The full names of the actions that an event calls, in the order of the contracts. `provider` is that of the connection. */
export function actionsOn(event: keyof Lifecycle, provider?: ProviderName): string[] {
  const isCalled = ({ on, providers }: ActionDefinition) =>
    on?.includes(event) === true && (provider === undefined || (providers?.includes(provider) ?? true));
  return [...actionsByName].flatMap(([name, definition]) => (isCalled(definition) ? [name] : []));
}
