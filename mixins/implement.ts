import type { Context, Logger, Service, ServiceBroker, ServiceSchema } from 'moleculer';
import type { z } from 'zod';
import type { Config } from '../config.ts';
import type { ActionDefinition, Contract } from '../domain/contract.ts';
import { ServiceError } from '../domain/errors.ts';
import { parseParams } from '../domain/params.ts';
import { answerProblems } from './answer-check.ts';
import { type AuditOrigin, originOf } from './audit.ts';
import { type Call, configOf, type Environment, type Meta, type Resource, typedCall } from './environment.ts';
import { codeOf, failureOf } from './failure.ts';
import { metricsOf } from './metrics.ts';
import { loggerFor } from './request-logger.ts';
import { tracerOf } from './tracing.ts';

/** What a handler is given, beside the resources that its service uses. */
export interface ActionContext<P> {
  readonly params: P;
  readonly meta: Meta;
  /** Who called and by which request, for audit entries. */
  readonly origin: AuditOrigin;
  readonly call: Call;
  readonly logger: Logger;
  readonly broker: ServiceBroker;
  readonly config: Config;
}

type Resources = Readonly<Record<string, Resource<unknown>>>;
type Started<R extends Resources> = { readonly [K in keyof R]: R[K] extends Resource<infer T> ? T : never };
type Actions = Readonly<Record<string, ActionDefinition>>;

/** A handler for each action of the contract: parsed parameters in, wire types out. */
export type Handlers<A extends Actions, R> = {
  readonly [K in keyof A]: (
    ctx: ActionContext<z.output<A[K]['params']>> & R,
  ) => Promise<z.input<A[K]['returns']>> | z.input<A[K]['returns']>;
};

/** How a contract is carried out. */
export interface Implementation<A extends Actions, R extends Resources> {
  /** Opened before the first call, in this order, and closed in the reverse one; handlers find them in `ctx`. */
  readonly uses?: R;
  readonly actions: Handlers<A, Started<R>>;
  /** Runs once all resources are open; what it returns runs when the service stops, before they close. */
  readonly started?: (environment: Environment & Started<R>) => Promise<(() => Promise<void>) | undefined>;
}

interface Running {
  resources: Record<string, unknown>;
  closers: (() => Promise<void>)[];
}

/**
 * Makes a Moleculer service of a contract and its implementation. Parameters are validated here, once, where the
 * action runs; failures that are not in the error table are logged without their values and become INTERNAL.
 */
export function implement<N extends string, A extends Actions, R extends Resources = Record<never, never>>(
  contract: Contract<N, A>,
  implementation: Implementation<A, R>,
): ServiceSchema {
  const running = new WeakMap<Service, Running>();
  const handlers: Readonly<Record<string, (ctx: never) => unknown>> = implementation.actions;
  const actions = Object.fromEntries(
    Object.entries(contract.actions).map(([name, definition]) => [
      name,
      {
        handler(this: Service, ctx: Context<unknown, Meta>) {
          return watched(this, ctx, () =>
            run(this, ctx, definition, handlers[name], running.get(this)?.resources ?? {}),
          );
        },
      },
    ]),
  );
  return {
    name: contract.name,
    settings: { $shutdownTimeout: 3000 },
    actions,
    async started(this: Service) {
      const state: Running = { resources: {}, closers: [] };
      running.set(this, state);
      await open(this, state, implementation.uses ?? {}, implementation.started);
    },
    async stopped(this: Service) {
      for (const close of running.get(this)?.closers.splice(0).reverse() ?? []) await close();
    },
  };
}

async function open<R extends Resources>(
  service: Service,
  state: Running,
  uses: Resources,
  started: Implementation<Actions, R>['started'],
): Promise<void> {
  const { broker, logger } = service;
  const environment: Environment = { broker, logger, config: configOf(broker), call: typedCall(broker) };
  for (const [name, resource] of Object.entries(uses)) {
    const value = await resource.start(environment);
    state.resources[name] = value;
    state.closers.push(() => resource.stop(value));
  }
  const stop = await started?.({ ...environment, ...state.resources } as Environment & Started<R>);
  if (stop !== undefined) state.closers.push(stop);
}

// Figures and a trace cost what is measured in ARCHITECTURE.md, and nothing where nobody asked for them.
async function watched(
  { broker, name }: Service,
  ctx: Context<unknown, Meta>,
  work: () => Promise<unknown>,
): Promise<unknown> {
  const action = ctx.action?.name ?? name;
  const span = tracerOf(broker)?.begin(ctx, action);
  const began = performance.now();
  let outcome = 'done';
  try {
    return await work();
  } catch (error) {
    outcome = codeOf(error);
    throw error;
  } finally {
    const seconds = (performance.now() - began) / 1000;
    metricsOf(broker).observe('pulsebus_action_duration_seconds', { action, outcome }, seconds);
    span?.end(outcome === 'done' ? undefined : outcome);
  }
}

async function run(
  service: Service,
  ctx: Context<unknown, Meta>,
  definition: ActionDefinition,
  handler: ((ctx: never) => unknown) | undefined,
  resources: Record<string, unknown>,
): Promise<unknown> {
  if (handler === undefined) throw new ServiceError('NOT_IMPLEMENTED');
  const params = parseParams(definition.params, ctx.params);
  const { broker } = service;
  const logger = loggerFor(service.logger, ctx.requestID);
  const given = {
    ...resources,
    params,
    meta: ctx.meta,
    origin: originOf(ctx.meta, ctx.requestID),
    call: typedCall(ctx),
    logger,
    broker,
    config: configOf(broker),
  };
  try {
    const answer = await handler(given as never);
    if (given.config.CHECK_ANSWERS) checkAnswer(definition, answer, logger, ctx.action?.name ?? service.name);
    return answer;
  } catch (error) {
    throw failureOf(error, logger, ctx.action?.name ?? service.name);
  }
}

const mostProblems = 10;

// `npm run dev` sets CHECK_ANSWERS: elsewhere an answer is what its handler returns.
function checkAnswer({ returns }: ActionDefinition, answer: unknown, logger: Logger, action: string): void {
  const problems = answerProblems(returns, answer);
  if (problems.length > 0)
    logger.warn('answer.other_shape', { action, problems: problems.slice(0, mostProblems) });
}
