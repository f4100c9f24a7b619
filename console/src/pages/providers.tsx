import type { ProviderStatus } from '../../../clients/typescript/src/index.ts';
import { api } from '../api.ts';
import { Badge } from '../parts/badge.tsx';
import { Loaded } from '../parts/states.tsx';
import { duration } from '../parts/time.tsx';
import { useResource } from '../resource.ts';

/** The providers: whether they are configured, their addresses, and what is left of their quota. */
export function Providers() {
  const status = useResource('status', (signal) => api.deliveries.status({ signal }));
  return (
    <>
      <h1>Providers</h1>
      <Loaded of={status} what="providers">
        {({ providers }) =>
          Object.entries(providers).map(([name, one]) => <Provider key={name} name={name} status={one} />)
        }
      </Loaded>
    </>
  );
}

function Provider({ name, status }: { name: string; status: ProviderStatus }) {
  const { configured, webhook_addresses, deliveries, answers, budget } = status;
  const prefix = name.toUpperCase();
  return (
    <section aria-label={name}>
      <h2>
        {name} <Badge state={configured ? 'configured' : 'missing'} />
      </h2>
      {!configured && (
        <p class="state">
          Set {prefix}_CLIENT_ID and {prefix}_CLIENT_SECRET to the values that the provider gave you, and
          restart.
        </p>
      )}
      <dl class="facts">
        <dt>Deliveries waiting</dt>
        <dd>
          {deliveries.waiting}
          {deliveries.oldest_waiting_seconds !== null &&
            `, oldest ${duration(deliveries.oldest_waiting_seconds)}`}
        </dd>
        <dt>Dead letters</dt>
        <dd>{deliveries.dead}</dd>
        <dt>Requests in the last {answers.minutes} min</dt>
        <dd>
          {answers.requests}, {answers.failed} failed, {answers.rejected} rejected
        </dd>
        {budget !== null && (
          <>
            <dt>Reads left</dt>
            <dd>
              {budget.quarter_left} of {budget.quarter_limit} in this quarter hour, {budget.day_left} of{' '}
              {budget.day_limit} today{budget.paused && ', paused by the provider'}
            </dd>
          </>
        )}
        {Object.entries(webhook_addresses ?? {}).map(([kind, address]) => (
          <>
            <dt>Address of {kind}</dt>
            <dd>
              <code>{address}</code>
            </dd>
          </>
        ))}
      </dl>
    </section>
  );
}
