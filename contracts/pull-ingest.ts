import { z } from 'zod';
import {
  type ActionDefinition,
  action,
  auditOfDelivery,
  contract,
  type HttpRoute,
} from '../domain/contract.ts';
import { FreshKind } from '../domain/freshness/shared-kinds.ts';
import { UserId } from '../domain/wire.ts';
import {
  type NotifyingName,
  notificationsOf,
  notifyingNames,
  ProviderName,
  pulledNames,
} from '../providers/all.ts';
import { Backfill } from './backfill.ts';
import { Health } from './fields.ts';
import { Figures } from './ingest-figures.ts';

/**
 * The answer to a notification. `accepted`: it is stored, and what it names is read. `ignored`: nothing follows from it.
 * `refused`: it is not the provider's. `verified`: the address is checked, and right.
 */
export const NotificationAnswer = z
  .object({
    status: z.enum(['accepted', 'ignored', 'refused', 'verified']),
    reason: z.string().optional(),
  })
  .meta({ id: 'NotificationAnswer' });

export type NotificationAnswer = z.infer<typeof NotificationAnswer>;

/** The action that receives the notifications of a provider. */
type ReceiveAction = ActionDefinition<
  z.ZodObject<{ delivery_id: z.ZodUUID }>,
  z.ZodObject<{ done: z.ZodBoolean }>
>;
/** The answer to a check of the address: the state, or the provider's challenge under its own name. */
const Checked = z.union([Health, z.record(z.string(), z.string())]);
const CheckText = z.string().max(1000);

/** The action that answers a provider's check of the address. */
type ProbeAction = ActionDefinition<z.ZodObject, typeof Checked>;

type Receiving = { readonly [N in NotifyingName as `receive_${N}`]: ReceiveAction };
type Probing = { readonly [N in NotifyingName as `probe_${N}`]: ProbeAction };

/** An object with a value for each provider that notifies, under a name with a prefix. */
export function eachNotifying<P extends 'receive' | 'probe', T>(
  prefix: P,
  make: (provider: NotifyingName) => T,
): { readonly [N in NotifyingName as `${P}_${N}`]: T } {
  const made: Record<string, T> = {};
  for (const name of notifyingNames) made[`${prefix}_${name}`] = make(name);
  if (!hasAll<P, T>(prefix, made)) throw new Error('a provider has no value');
  return made;
}

function hasAll<P extends 'receive' | 'probe', T>(
  prefix: P,
  made: object,
): made is { readonly [N in NotifyingName as `${P}_${N}`]: T } {
  return notifyingNames.every((name) => Object.hasOwn(made, `${prefix}_${name}`));
}

const receiveMs = 1500;

const receiving: Receiving = eachNotifying('receive', (provider) => {
  const { kind, example, bodyLimitBytes, form, acceptedStatus } = notificationsOf(provider);
  return action({
    summary: `Receive notifications of the provider ${provider}`,
    description:
      'A notification names what changed. It is stored, checked and answered; the data is read from the provider afterwards. A body with a wrong or missing signature is 401, where the provider signs.',
    params: z.object({ delivery_id: z.uuid() }),
    returns: z.object({ done: z.boolean() }),
    http: {
      method: 'POST',
      path: `/webhooks/${provider}/${kind}`,
      access: 'webhook',
      status: acceptedStatus,
      tag: 'Webhooks',
      secretAddress: provider,
      bodyLimitBytes,
      failures: ['WEBHOOK_NOT_AUTHENTIC'],
      ...(form === 'form' ? { form: true as const } : {}),
      delivery: {
        provider,
        kind,
        example,
        answer: NotificationAnswer,
        pending: () => ({ status: 'accepted' }),
        anyBody: true,
        statusOf: (answer) => {
          const { status } = NotificationAnswer.catch({ status: 'accepted' }).parse(answer);
          if (status === 'refused') return 401;
          return status === 'verified' ? 200 : acceptedStatus;
        },
      },
      audit: auditOfDelivery,
    },
    timeoutMs: receiveMs,
  });
});

// A provider that does not check its address has the action, but no route.
const probing: Probing = eachNotifying('probe', (provider): ProbeAction => {
  const { kind, answersProbe, challenge } = notificationsOf(provider);
  const http: HttpRoute = {
    method: 'GET',
    path: `/webhooks/${provider}/${kind}`,
    access: 'public',
    tag: 'Webhooks',
    secretAddress: provider,
    unlimited: true,
    ...(challenge === undefined ? {} : { failures: ['VERIFY_TOKEN_INVALID'] as const }),
  };
  const fields =
    challenge === undefined
      ? {}
      : {
          [challenge.token]: CheckText.describe('The token that you gave the provider.'),
          [challenge.challenge]: CheckText.describe('The text that the response returns.'),
        };
  return action({
    summary: `Answer the check of the webhook address of the provider ${provider}`,
    params: z.object(fields),
    returns: Checked,
    idempotent: true,
    ...(answersProbe || challenge !== undefined ? { http } : {}),
  });
});

const Pulled = z.object({ user_id: UserId, provider: ProviderName });

/** Providers whose data is read, after notifications or by cadence, and replaces what is stored. */
export const pullIngest = contract('pull-ingest', {
  ...receiving,
  ...probing,
  startBackfill: action({
    summary: "Start a backfill of a connection's data in a span of time",
    params: Pulled.extend({ start_ms: z.int(), end_ms: z.int() }),
    returns: Backfill,
  }),
  backfillStatus: action({
    summary: 'Get the newest backfill of a connection',
    params: Pulled,
    returns: Backfill,
    idempotent: true,
  }),
  cancelBackfill: action({
    summary: 'Cancel the backfill of a connection',
    params: Pulled,
    returns: Backfill,
    idempotent: true,
  }),
  reconcile: action({
    summary: 'Read data of a connection again that may be missing',
    params: Pulled.extend({ start_ms: z.int(), kinds: z.array(FreshKind).optional() }),
    returns: z.object({ types: z.int() }),
    idempotent: true,
  }),
  begin: action({
    summary: 'Read the last 30 days of a connection that was imported',
    params: Pulled,
    returns: z.object({ types: z.int() }),
    idempotent: true,
    on: ['connectionImported'],
    providers: pulledNames,
  }),
  stopConnection: action({
    summary: 'Read nothing more for a connection that ended',
    params: z.object({ connection_id: z.uuid() }),
    returns: z.object({ stopped: z.boolean() }),
    idempotent: true,
    on: ['connectionEnded'],
    providers: pulledNames,
  }),
  forgetUser: action({
    summary: 'Forget what is to be read of a deleted user',
    params: z.object({ user_id: UserId }),
    returns: z.object({ forgotten: z.int() }),
    idempotent: true,
    on: ['userErased'],
  }),
  forgetConnection: action({
    summary: 'Forget what is to be read of a connection whose data is erased',
    params: Pulled,
    returns: z.object({ forgotten: z.int() }),
    idempotent: true,
    on: ['connectionPurged'],
    providers: pulledNames,
  }),
  figures: action({
    summary: 'Get queue lengths and the state of the subscription of a provider',
    params: z.object({ provider: ProviderName }),
    returns: Figures,
    idempotent: true,
  }),
});
