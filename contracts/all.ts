import type { ActionDefinition, ActionsOf, Contract } from '../domain/contract.ts';
import { apiGateway } from './api-gateway.ts';
import { auth } from './auth.ts';
import { deliveries } from './deliveries.ts';
import { devicemakerIngest } from './devicemaker-ingest.ts';
import { timeseries } from './timeseries.ts';
import { users } from './users.ts';

/** Every service of the product: its table of contents. */
export const contracts = [apiGateway, auth, users, timeseries, devicemakerIngest, deliveries] as const;

/** Every remote call by its full name, with what goes in and what comes out. */
export interface Actions
  extends ActionsOf<typeof apiGateway>,
    ActionsOf<typeof auth>,
    ActionsOf<typeof users>,
    ActionsOf<typeof timeseries>,
    ActionsOf<typeof devicemakerIngest>,
    ActionsOf<typeof deliveries> {}

/** Full name (`users.get`) to definition, for whoever calls or routes by name. */
export const actionsByName: ReadonlyMap<string, ActionDefinition> = new Map(
  contracts.flatMap((one: Contract) =>
    Object.entries(one.actions).map(([name, definition]) => [`${one.name}.${name}`, definition] as const),
  ),
);
