import type { Database, Statement } from '../../../mixins/database/database.ts';
import type { Metrics } from '../../../runtime/telemetry/metrics.ts';

const statement: Statement = {
  name: 'webhooks.figures',
  text: `
    select e.id, w.n, coalesce(extract(epoch from now() - w.oldest), 0)::float8 as oldest_seconds
    from webhooks.endpoint e cross join lateral (
      select count(*)::int as n, min(m.recorded_at) as oldest from webhooks.message m
      where m.endpoint_id = e.id and m.state = 'waiting') w`,
};

interface Waiting {
  readonly id: string;
  readonly n: number;
  readonly oldest_seconds: number;
}

/** Sets the number and the age of the messages that wait, per endpoint. */
export async function setDeliveryFigures(metrics: Metrics, database: Database): Promise<void> {
  for (const { id: endpoint, n, oldest_seconds } of await database.query<Waiting>(statement)) {
    metrics.set('pulsebus_webhook_messages_waiting', { endpoint }, n);
    metrics.set('pulsebus_webhook_oldest_message_seconds', { endpoint }, oldest_seconds);
  }
}
