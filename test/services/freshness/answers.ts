import { z } from 'zod';
import { ServiceError } from '../../../domain/errors.ts';
import { dayMs } from '../../../domain/time/time.ts';
import { providerNamed } from '../../../providers/all.ts';
import { typesBringing } from '../../../services/freshness/rules/expectations.ts';
import { kindNames } from './habits.ts';
import type { Simulation } from './simulation.ts';

const OfUser = z.object({ user_id: z.string() });
const After = z.object({ after: z.coerce.number(), limit: z.number() });
const Reconciled = z.object({
  ...{ user_id: z.string(), provider: z.string(), kinds: z.array(z.string()), start_ms: z.number() },
});
const Started = z.object({
  user_id: z.string(),
  provider: z.string(),
  days: z.number(),
  types: z.array(z.string()),
});
const Published = z.object({ action: z.string(), provider: z.string(), reason: z.string() });

type Answer = (world: Simulation, params: unknown) => unknown;
const reconcile: Answer = (world, params) => {
  const { user_id, provider, kinds, start_ms } = Reconciled.parse(params);
  world.fetch(user_id, provider, kinds, start_ms);
  return { types: 1 };
};
const answered: Readonly<Record<string, Answer>> = {
  'webhooks.arrivals': (world, params) => {
    const { after, limit } = After.parse(params);
    return world.arrivals(after, limit);
  },
  'users.connection': (world, params) => {
    const { user_id } = OfUser.parse(params);
    if (world.gone.has(user_id)) throw new ServiceError('CONNECTION_NOT_FOUND');
    return { status: 'active', scope: world.scopes.get(user_id) ?? [] };
  },
  'deliveries.answers': (world) => ({ answers: world.answersOfMinutes() }),
  'webhooks.publishIncident': (world, params) => {
    world.counts.published.push(Published.parse(params));
    return { published: 1 };
  },
  'pull-ingest.reconcile': reconcile,
  'activitynet-ingest.reconcile': reconcile,
  'backfill.start': (world, params) => {
    const { user_id, provider, days, types } = Started.parse(params);
    const kinds = kindNames.filter((kind) =>
      typesBringing(providerNamed(provider), [kind]).some((type) => types.includes(type)),
    );
    world.fetch(user_id, provider, kinds, world.nowMs - days * dayMs);
    return {};
  },
};

/** The answer of another service in a simulation. @throws Error if it has none */
export function answer(world: Simulation, name: string, params: unknown): unknown {
  const read = answered[name];
  if (read === undefined) throw new Error(`${name} is not simulated`);
  return read(world, params);
}
