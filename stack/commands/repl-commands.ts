import { z } from 'zod';
import type { Backfill } from '../../contracts/backfill.ts';
import { jobIdOf } from '../../contracts/deliveries/jobs.ts';
import type { Reprocess } from '../../contracts/deliveries/reprocess.ts';
import { type Delivery, DeliveryStatus } from '../../contracts/deliveries/schemas.ts';
import type { WebhookEndpoint, WebhookMessage } from '../../contracts/webhooks/schemas.ts';
import { plainMessage } from '../../domain/plain-message.ts';
import { ProviderName, providerNames } from '../../providers/all.ts';
import type { Call } from '../../runtime/environment.ts';

/** A command of the console: its syntax, its purpose, and the lines that it prints. */
export interface Command {
  /** As commander.js reads it: `<needed>`, `[optional]`. */
  readonly command: string;
  readonly description: string;
  readonly run: (call: Call, given: unknown) => Promise<readonly string[]>;
}

const Id = z.uuid('must be a UUID');
const mostShown = 50;

/** The commands for operators, in one line each. */
export const commands: readonly Command[] = [
  command(
    'deliveries [status]',
    'The newest deliveries of a status: ready, working, done or dead (the default)',
    z.object({ status: DeliveryStatus.default('dead') }),
    async (call, { status }) => {
      const { data, pagination } = await call('deliveries.list', { status, limit: mostShown });
      return [...data.map(deliveryLine), `${pagination.total_count ?? data.length} ${status}`];
    },
  ),
  command(
    'replay <id>',
    'Work on a delivery again; it waits for its turn like a new one',
    z.object({ id: Id }),
    async (call, { id }) => [deliveryLine(await call('deliveries.replay', { delivery_id: id }))],
  ),
  command('endpoints', 'The webhook endpoints of applications', z.object({}), async (call) => {
    const endpoints = await call('webhooks.listEndpoints', {});
    return [...endpoints.map(endpointLine), `${endpoints.length} endpoints`];
  }),
  command(
    'messages <endpoint>',
    'The newest messages of a webhook endpoint, each with its last attempt',
    z.object({ endpoint: Id }),
    async (call, { endpoint }) => {
      const page = await call('webhooks.messages', { endpoint_id: endpoint, limit: mostShown });
      return [
        ...page.data.map(messageLine),
        `${page.data.length}${page.pagination.has_more ? ' newest' : ''} messages`,
      ];
    },
  ),
  command(
    'resend <id>',
    'Send a message of a webhook endpoint again, with the same webhook-id',
    z.object({ id: Id }),
    async (call, { id }) => {
      const { endpoint_id } = await call('webhooks.message', { message_id: id });
      return [messageLine(await call('webhooks.resendMessage', { endpoint_id, message_id: id }))];
    },
  ),
  command(
    'reprocess <run_id>',
    'The progress of a run of kept deliveries through the current normalisers',
    z.object({ run_id: Id }),
    async (call, { run_id }) => [reprocessLine(await call('deliveries.reprocessStatus', { run_id }))],
  ),
  command(
    'jobs',
    'Numbers of jobs by kind and state, and the newest dead letters with their errors',
    z.object({}),
    async (call) => {
      const { counts, dead } = await call('deliveries.jobs', { limit: mostShown });
      return [
        ...counts.map(({ kind, state, count }) => `${kind.padEnd(26)} ${state.padEnd(7)} ${count}`),
        ...dead.map(({ kind, key, error, dead_at }) => `${kind} ${key}  dead since ${dead_at}, ${error}`),
      ];
    },
  ),
  command(
    'retry-job <kind> [key]',
    'Makes a dead letter of `jobs` due again',
    z.object({ kind: z.string(), key: z.string().default('') }),
    async (call, { kind, key }) => {
      await call('deliveries.retryJob', { job_id: jobIdOf(kind, key) });
      return [`${kind} is due again`];
    },
  ),
  command(
    'backfill <what> <user_id> [provider]',
    'backfill status: the newest backfill of a user, of every provider unless one is named',
    z.object({ what: z.literal('status', 'must be status'), user_id: Id, provider: ProviderName.optional() }),
    async (call, { user_id, provider }) => {
      const asked = provider === undefined ? providerNames : [provider];
      return (await Promise.all(asked.map((one) => backfillLines(call, user_id, one)))).flat();
    },
  ),
  command(
    'limits <id>',
    'What is left of the running minute of an API key, a developer or a user; looking does not count',
    z.object({ id: Id }),
    async (call, { id }) => {
      const { kind, limit, used, remaining, reset_at } = await call('auth.window', { subject_id: id });
      const until = reset_at === null ? 'no window runs' : `until ${reset_at}`;
      return [`${kind} ${id}: ${used} of ${limit} used, ${remaining} left, ${until}`];
    },
  ),
];

function command<P extends z.ZodType>(
  text: string,
  description: string,
  params: P,
  run: (call: Call, given: z.output<P>) => Promise<readonly string[]>,
): Command {
  return {
    command: text,
    description,
    async run(call, given) {
      const parsed = params.safeParse(given, { error: plainMessage });
      if (parsed.success) return run(call, parsed.data);
      return parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}. Usage: ${text}`);
    },
  };
}

function deliveryLine({ id, provider, kind, status, attempts, received_at, error }: Delivery): string {
  const came = `${provider} ${kind} of ${received_at}`;
  return `${id}  ${status.padEnd(7)} ${came}, attempts: ${attempts}${error === null ? '' : `, ${error}`}`;
}

function reprocessLine({ status, deliveries: { done, total, failed } }: Reprocess): string {
  return `${status}, deliveries ${done}/${total}, failed ${failed}`;
}

// A path may contain a token of the receiver, so only the origin is shown.
function endpointLine(endpoint: WebhookEndpoint): string {
  const { id, url, enabled, disabled_reason, api_key_id, failing_since, last_delivered_at } = endpoint;
  const { messages_waiting: count, oldest_waiting_message_seconds: age } = endpoint;
  const state = enabled ? 'enabled' : `disabled${disabled_reason === null ? '' : ` (${disabled_reason})`}`;
  const failing = failing_since === null ? '' : `, failing since ${failing_since}`;
  return `${id}  ${state}  ${new URL(url).origin}, last delivered: ${last_delivered_at ?? 'never'}${failing}, waiting: ${count}${age === null ? '' : ` (the oldest for ${age} s)`}, API key: ${api_key_id ?? 'none'}`;
}

function messageLine({ id, type, status, created_at, attempts }: WebhookMessage): string {
  const last = attempts.at(-1);
  const result = last === undefined ? '' : `, ${last.error ?? 'delivered'} ${last.status ?? ''}`.trimEnd();
  return `${id}  ${status.padEnd(9)} ${type} of ${created_at}, attempts: ${attempts.length}${result}`;
}

async function backfillLines(call: Call, user_id: string, provider: ProviderName): Promise<string[]> {
  const found = await call('backfill.status', { user_id, provider }).catch((error: unknown) =>
    sentenceOf(error),
  );
  return typeof found === 'string' ? [`${provider}: ${found}`] : backfillTable(found);
}

function backfillTable({ provider, status, reason, start_time, end_time, types }: Backfill): string[] {
  const why = reason === null ? '' : ` (${reason})`;
  return [
    `${provider}: ${status}${why}, ${start_time} to ${end_time}`,
    ...types.map(
      (one) =>
        `  ${one.type.padEnd(18)} ${one.status.padEnd(9)} requests ${one.requests_done}/${one.requests}, items ${one.items}, saved ${one.saved}${one.reason === null ? '' : `, ${one.reason}`}`,
    ),
  ];
}

/** The sentence of a failed call. It contains no secret. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
