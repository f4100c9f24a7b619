import { can } from '../../session.ts';
import { Accesses } from './accesses.tsx';
import { Changes } from './changes-of-user.tsx';
import { Deliveries } from './deliveries-of-user.tsx';
import { Messages } from './messages-of-user.tsx';
import type { OfUser } from './of-user.ts';

/** What happened to the data of a user: who read it, what changed, what was sent to applications, what came in. */
export function ActivityLog(of: OfUser) {
  return (
    <>
      <h2>Reads</h2>
      <Accesses {...of} />
      {can('changes.read') && (
        <>
          <h2>Changes</h2>
          <Changes {...of} />
        </>
      )}
      {can('webhooks.read') && (
        <>
          <h2>Webhook messages</h2>
          <Messages {...of} />
        </>
      )}
      {can('deliveries.read') && (
        <>
          <h2>Deliveries</h2>
          <Deliveries {...of} />
        </>
      )}
    </>
  );
}
