import type { DeliveryDetails } from '../../../clients/typescript/src/index.ts';
import { api } from '../api.ts';
import { Action } from '../parts/action.tsx';
import { Badge } from '../parts/badge.tsx';
import { DeliveryContent } from '../parts/operations/delivery-content.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { useRepeated, useResource } from '../resource.ts';
import { Link } from '../router.tsx';
import { can } from '../session.ts';
import { titleOf } from '../titles.ts';

const everyMs = 2000;

/** One delivery: its state, the errors of its items, its body, and replay. */
export function Delivery({ id }: { id: string }) {
  const delivery = useResource(id, (signal) => api.deliveries.get({ delivery_id: id }, { signal }));
  const isOpen = delivery.data?.status === 'ready' || delivery.data?.status === 'working';
  useRepeated(everyMs, () => isOpen && delivery.reload());
  return (
    <>
      <p>
        <Link to="/deliveries">All deliveries</Link>
      </p>
      <h1>Delivery</h1>
      <Loaded of={delivery} what="delivery">
        {(one) => (
          <>
            <Facts delivery={one} />
            {can('deliveries.write') && !isOpen && (
              <Action
                run={async () => {
                  await api.deliveries.replay({ delivery_id: id });
                  delivery.reload();
                }}
              >
                Replay
              </Action>
            )}
            <h2>Errors of items</h2>
            <ItemErrors delivery={one} isOpen={isOpen} />
            {can('deliveries.bodies') && (
              <>
                <h2>Body</h2>
                <DeliveryContent id={id} />
              </>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function Facts({ delivery }: { delivery: DeliveryDetails }) {
  const { status, error, attempts, next_attempt_at, done_at, body_bytes } = delivery;
  return (
    <dl class="facts">
      <dt>State</dt>
      <dd>
        <Badge state={status} />
        {error !== null && ` ${error}`}
      </dd>
      <dt>Provider</dt>
      <dd>
        {titleOf(delivery.provider)}, {delivery.kind}
      </dd>
      <dt>Received</dt>
      <dd>
        <Time at={delivery.received_at} />
      </dd>
      <dt>{next_attempt_at === null ? 'Processed' : 'Next attempt'}</dt>
      <dd>
        <Time at={next_attempt_at ?? done_at} />
      </dd>
      <dt>Attempts</dt>
      <dd>{attempts}</dd>
      <dt>Size</dt>
      <dd>{body_bytes.toLocaleString()} bytes</dd>
    </dl>
  );
}

function ItemErrors({ delivery, isOpen }: { delivery: DeliveryDetails; isOpen: boolean }) {
  const { item_errors: errors } = delivery;
  if (errors.length === 0)
    return (
      <Empty>
        {isOpen ? 'The delivery is not processed yet. This page follows it.' : 'No item has an error.'}
      </Empty>
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard
    <section class="scroll tall" tabIndex={0} aria-label="Errors of items">
      <ol>
        {errors.map((sentence, index) => (
          <li key={index}>{sentence}</li>
        ))}
      </ol>
    </section>
  );
}
