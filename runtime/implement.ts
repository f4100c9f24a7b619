import {
  type Context,
  Errors,
  type Logger,
  type Service,
  type ServiceBroker,
  type ServiceSchema,
} from 'moleculer';
import type { z } from 'zod';
import type { Config } from '../config.ts';
import type { ActionDefinition, Contract } from '../domain/contract.ts';
import { ServiceError } from '../domain/errors.ts';
import { parseParams } from '../domain/params.ts';
import { type AuditOrigin, originOf } from './audit-origin.ts';
import { type Call, configOf, type Environment, type Meta, type Mixin, typedCall } from './environment.ts';
import { codeOf, failureOf } from './failure.ts';
import { loggerFor } from './telemetry/logger.ts';
import { metricsOf } from './telemetry/metrics.ts';
import { spanOf } from './telemetry/tracing.ts';
import { asGiven, userToCheck, withinProject } from './user-project.ts';

/** What a handler gets beside the mixins of its service. */
interface ActionContext<P> {
  readonly params: P;
  readonly meta: Meta;
  /** The actor and the request, for audit entries. */
  readonly origin: AuditOrigin;
  readonly call: Call;
  readonly logger: Logger;
  readonly broker: ServiceBroker;
  readonly config: Config;
}

type Mixins = Readonly<Record<string, Mixin<unknown>>>;
type Started<M extends Mixins> = { readonly [K in keyof M]: M[K] extends Mixin<infer T> ? T : never };
type Actions = Readonly<Record<string, ActionDefinition>>;

/** A handler for each action of the contract. It takes parsed parameters and returns wire types. */
type Handlers<A extends Actions, R> = {
  readonly [K in keyof A]: (
    ctx: ActionContext<z.output<A[K]['params']>> & R,
  ) => Promise<z.input<A[K]['returns']>> | z.input<A[K]['returns']>;
};

/** The implementation of a contract. */
interface Implementation<A extends Actions, M extends Mixins> {
  /**
   * Mixins start in this order before the first call, and what they made is released in reverse. Handlers find their
   * values in `ctx`.
   */
  readonly uses?: M;
  readonly actions: Handlers<A, Started<M>>;
  /**
   * Runs after all mixins have started. The function that it returns runs when the service stops, before the mixins
   * stop.
   */
  readonly started?: (environment: Environment & Started<M>) => Promise<(() => Promise<void>) | undefined>;
}

interface Running {
  /** The values of the service's mixins, by name. */
  readonly values: Readonly<Record<string, unknown>>;
  /** What runs when the service stops, the last first. */
  readonly releases: (() => void | Promise<void>)[];
}

/**
 * Makes a Moleculer service from a contract and its implementation. Parameters are validated here, once, where the
 * action runs. Errors that are not in the error table are logged without values and become INTERNAL.
 */
export function implement<N extends string, A extends Actions, M extends Mixins = Record<never, never>>(
  contract: Contract<N, A>,
  implementation: Implementation<A, M>,
): ServiceSchema {
  const services = new WeakMap<Service, Running>();
  const handlers: Readonly<Record<string, (ctx: never) => unknown>> = implementation.actions;
  const actions = Object.fromEntries(
    Object.entries(contract.actions).map(([name, definition]) => [
      name,
      {
        handler(this: Service, ctx: Context<unknown, Meta>) {
          const values = services.get(this)?.values;
          if (values === undefined) throw new Errors.ServiceNotAvailableError({ action: name });
          return watched(this, ctx, () => run(this, ctx, definition, handlers[name], values));
        },
      },
    ]),
  );
  return {
    name: contract.name,
    settings: { $shutdownTimeout: 3000 },
    actions,
    async started(this: Service) {
      const environment = environmentOf(this);
      const values: Record<string, unknown> = {};
      const releases: Running['releases'] = [];
      services.set(this, { values, releases });
      const onStop = (release: () => void | Promise<void>) => void releases.push(release);
      for (const [name, mixin] of Object.entries(implementation.uses ?? {}))
        values[name] = await mixin({ ...environment, onStop });
      const stop = await implementation.started?.({ ...environment, ...values } as Environment & Started<M>);
      if (stop !== undefined) releases.push(stop);
    },
    // Services of a process stop one after another: the others may call this one until its last release has begun.
    async stopped(this: Service) {
      const releases = services.get(this)?.releases ?? [];
      for (let release = releases.pop(); release !== undefined; release = releases.pop()) await release();
      services.delete(this);
    },
  };
}

function environmentOf({ broker, logger, name }: Service): Environment {
  return { broker, logger, config: configOf(broker), call: typedCall(broker, name) };
}

// Metrics cost what docs/decisions/0048-metrics.md states, and nothing if they are off.
async function watched(
  { broker, name }: Service,
  ctx: Context<unknown, Meta>,
  work: () => Promise<unknown>,
): Promise<unknown> {
  const metrics = metricsOf(broker);
  if (metrics.isOff) return work();
  const action = ctx.action?.name ?? name;
  const began = performance.now();
  let outcome = 'done';
  try {
    return await work();
  } catch (error) {
    outcome = codeOf(error);
    throw error;
  } finally {
    const seconds = (performance.now() - began) / 1000;
    metrics.observe('pulsebus_action_duration_seconds', { action, outcome }, seconds);
  }
}

async function run(
  service: Service,
  ctx: Context<unknown, Meta>,
  definition: ActionDefinition,
  handler: ((ctx: never) => unknown) | undefined,
  mixins: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  if (handler === undefined) throw new ServiceError('NOT_IMPLEMENTED');
  // Moleculer's timer of this process reads it after this function has begun.
  if (definition.localTimeoutMs !== undefined)
    ctx.options = { ...ctx.options, timeout: definition.localTimeoutMs };
  const { broker } = service;
  const logger = loggerFor(service.logger, ctx.requestID, spanOf(ctx));
  const parsed = parseParams(definition.params, ctx.params);
  const user = userToCheck(ctx.meta, ctx.level, definition, parsed);
  const { params, restore } =
    user === null ? asGiven(parsed) : await withinProject(typedCall(ctx), ctx.meta, user, parsed);
  const given = {
    ...mixins,
    params,
    meta: ctx.meta,
    origin: originOf(ctx.meta, ctx.requestID),
    call: typedCall(ctx, service.name),
    logger,
    broker,
    config: configOf(broker),
  };
  try {
    const answer = await handler(given as never);
    if (given.config.CHECK_ANSWERS) checkAnswer(definition, answer, logger, ctx.action?.name ?? service.name);
    return answer;
  } catch (error) {
    throw restore(failureOf(error, logger, ctx.action?.name ?? service.name));
  }
}

const mostProblems = 10;

// `npm run dev` sets CHECK_ANSWERS. Elsewhere answers are returned unchecked.
function checkAnswer({ returns }: ActionDefinition, answer: unknown, logger: Logger, action: string): void {
  const problems = answerProblems(returns, answer);
  if (problems.length > 0)
    logger.warn('answer.other_shape', { action, problems: problems.slice(0, mostProblems) });
}

/**
 * Differences between an answer and its contract: a sentence for each field that is missing, has another type or is not
 * in the contract. Sentences contain paths and types, never a value. For development only, because it costs as much as
 * a validation.
 */
export function answerProblems(schema: z.ZodType, answer: unknown): string[] {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return unknownFields(answer, parsed.data, []);
  return parsed.error.issues.map(
    (issue) => `${issue.path.map(String).join('.') || 'the answer'}: ${issue.message}`,
  );
}

// Schemas drop unknown fields. A field that is absent from the parsed answer is not in the contract.
function unknownFields(answer: unknown, parsed: unknown, path: readonly string[]): string[] {
  if (typeof answer !== 'object' || answer === null || typeof parsed !== 'object' || parsed === null)
    return [];
  return Object.entries(answer).flatMap(([name, value]) => {
    const here = [...path, name];
    if (value === undefined) return [];
    if (!Object.hasOwn(parsed, name)) return [`${here.join('.')}: is not in the contract`];
    return unknownFields(value, Reflect.get(parsed, name), here);
  });
}
