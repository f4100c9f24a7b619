import type { WebhookEndpoint } from '../../../../clients/typescript/src/index.ts';
import { duration } from '../../duration.ts';
import { waitingText } from '../../endpoint-texts.ts';
import type { Problem } from './problems.ts';

/** More endpoints than these are one problem, so that the list stays short. */
const mostNamed = 3;

const needs = 'webhooks.read';
const reasons: Readonly<Record<NonNullable<WebhookEndpoint['disabled_reason']>, string>> = {
  gone: 'It answered that it is gone (410), so that nothing is sent to it. Enable it once it is back.',
  failing: 'Nothing was delivered for five days, so that nothing is sent to it. Mend it, then enable it.',
  key_deleted: 'The API key that had set its address was deleted, so that nothing is sent to it.',
};

/** Messages of an endpoint that does not fail are late after this time. */
const lateSeconds = 300;

/** Endpoints that were disabled automatically, that fail, and that are behind without failing, the furthest first. */
export function endpointProblems(all: readonly WebhookEndpoint[], nowMs: number): Problem[] {
  const disabled = all.filter((one) => !one.enabled && one.disabled_reason !== null);
  const failing = all.filter((one) => one.enabled && one.failing_since !== null);
  const late = all
    .filter((one) => one.enabled && one.failing_since === null && ageOf(one) > lateSeconds)
    .toSorted((one, other) => ageOf(other) - ageOf(one));
  return [
    ...named(disabled, 'disabled', nowMs, (one) => ({
      what: `The webhook endpoint ${shortUrl(one.url)} is disabled`,
      means: one.disabled_reason === null ? '' : reasons[one.disabled_reason],
    })),
    ...named(failing, 'failed', nowMs, (one) => ({
      what: `The webhook endpoint ${shortUrl(one.url)} fails`,
      means: `${behind(one, nowMs)} Messages are kept and sent again later.`,
    })),
    ...named(late, 'behind', nowMs, (one) => ({
      what: `The webhook endpoint ${shortUrl(one.url)} is behind`,
      means: `${waitingText(one)}. It takes fewer than are sent, or asks for a pause.`,
    })),
  ];
}

/** What several endpoints have in common, in one problem. */
const groups = {
  disabled: { severity: 'bad', does: 'are disabled', to: '/webhooks?state=disabled' },
  failed: { severity: 'bad', does: 'fail', to: '/webhooks?state=failed' },
  behind: { severity: 'warn', does: 'are behind', to: '/webhooks' },
} as const;

function named(
  list: readonly WebhookEndpoint[],
  group: keyof typeof groups,
  nowMs: number,
  problemOf: (one: WebhookEndpoint) => Pick<Problem, 'what' | 'means'>,
): readonly Problem[] {
  const { severity, does, to } = groups[group];
  const sinceOf = (one: WebhookEndpoint) =>
    group === 'behind'
      ? new Date(nowMs - ageOf(one) * 1000).toISOString()
      : (one.failing_since ?? one.updated_at);
  if (list.length <= mostNamed)
    return list.map((one) => ({
      ...problemOf(one),
      severity,
      since: sinceOf(one),
      action: {
        text: group === 'disabled' ? 'Open the endpoint' : 'See the attempts',
        to: `/webhooks/${one.id}`,
        needs,
      },
    }));
  return [
    {
      severity,
      what: `${list.length} webhook endpoints ${does}`,
      means: 'Applications behind them do not learn of changes.',
      since: list.map(sinceOf).sort()[0] ?? null,
      action: { text: 'See the endpoints', to, needs },
    },
  ];
}

const ageOf = (one: WebhookEndpoint) => one.oldest_waiting_message_seconds ?? 0;

/** How far an endpoint is behind. */
function behind(one: WebhookEndpoint, nowMs: number): string {
  const { last_delivered_at: last } = one;
  const waiting = waitingText(one);
  const since =
    last === null
      ? 'ever delivered to it'
      : `delivered for ${duration(Math.max(0, (nowMs - Date.parse(last)) / 1000))}`;
  return `Nothing was ${since}.${waiting === null ? '' : ` ${waiting}.`}`;
}

const mostCharacters = 48;

/** An address without its scheme, cut to a length that a line has room for. */
function shortUrl(url: string): string {
  const text = url.replace(/^https?:\/\//, '');
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters - 1)}…`;
}
