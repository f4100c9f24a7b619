import type { WebhookEndpoint } from '../../../../clients/typescript/src/index.ts';
import { duration } from '../../duration.ts';
import type { Problem } from './problems.ts';

/** More endpoints than these are one problem, so that the list stays short. */
const mostNamed = 3;

const needs = 'webhooks.read';
const reasons: Readonly<Record<NonNullable<WebhookEndpoint['disabled_reason']>, string>> = {
  gone: 'It answered that it is gone (410), so that nothing is sent to it. Enable it once it is back.',
  failing: 'Nothing was delivered for five days, so that nothing is sent to it. Mend it, then enable it.',
  key_deleted: 'The API key that had set its address was deleted, so that nothing is sent to it.',
};

/** Endpoints that receive nothing: those that were disabled automatically, and those that fail. */
export function endpointProblems(all: readonly WebhookEndpoint[], nowMs: number): Problem[] {
  const disabled = all.filter((one) => !one.enabled && one.disabled_reason !== null);
  const failing = all.filter((one) => one.enabled && one.failing_since !== null);
  return [
    ...named(disabled, 'disabled', (one) => ({
      severity: 'bad',
      what: `The webhook endpoint ${shortUrl(one.url)} is disabled`,
      means: one.disabled_reason === null ? '' : reasons[one.disabled_reason],
      since: one.failing_since ?? one.updated_at,
      action: { text: 'Open the endpoint', to: `/webhooks/${one.id}`, needs },
    })),
    ...named(failing, 'failed', (one) => ({
      severity: 'bad',
      what: `The webhook endpoint ${shortUrl(one.url)} fails`,
      means: `${behind(one, nowMs)} Messages are kept and sent again later.`,
      since: one.failing_since,
      action: { text: 'See the attempts', to: `/webhooks/${one.id}`, needs },
    })),
  ];
}

function named(
  list: readonly WebhookEndpoint[],
  state: 'disabled' | 'failed',
  problemOf: (one: WebhookEndpoint) => Problem,
): readonly Problem[] {
  if (list.length <= mostNamed) return list.map(problemOf);
  const since = list.map((one) => one.failing_since ?? one.updated_at).sort()[0] ?? null;
  const does = state === 'disabled' ? 'are disabled' : 'fail';
  return [
    {
      severity: 'bad',
      what: `${list.length} webhook endpoints ${does}`,
      means: 'Applications behind them do not learn of changes.',
      since,
      action: { text: 'See the endpoints', to: `/webhooks?state=${state}`, needs },
    },
  ];
}

/** How far an endpoint is behind. */
function behind({ last_delivered_at: last }: WebhookEndpoint, nowMs: number): string {
  if (last === null) return 'Nothing was ever delivered to it.';
  return `Nothing was delivered for ${duration(Math.max(0, (nowMs - Date.parse(last)) / 1000))}.`;
}

const mostCharacters = 48;

/** An address without its scheme, cut to a length that a line has room for. */
function shortUrl(url: string): string {
  const text = url.replace(/^https?:\/\//, '');
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters - 1)}…`;
}
