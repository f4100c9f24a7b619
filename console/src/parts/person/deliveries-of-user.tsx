import { api } from '../../api.ts';
import { useResource } from '../../resource.ts';
import { Link } from '../../router.tsx';
import { titleOf } from '../../titles.ts';
import { Empty, Loaded } from '../states.tsx';
import type { OfUser } from './of-user.ts';

/** The lists of deliveries of the user's providers: a delivery may contain data of several users, and names none. */
export function Deliveries({ userId, version }: OfUser) {
  const connections = useResource(
    `${userId} connections ${version}`,
    (signal) => api.users.connections({ user_id: userId }, { signal }),
    true,
  );
  return (
    <Loaded of={connections} what="connections">
      {(list) =>
        list.length === 0 ? (
          <Empty>No account of this user is connected, so that no provider sends anything.</Empty>
        ) : (
          <>
            <p>A delivery may contain data of several users. Those of the providers of this user:</p>
            <ul>
              {[...new Set(list.map(({ provider }) => provider))].map((provider) => (
                <li key={provider}>
                  <Link to={`/deliveries?provider=${provider}`}>Deliveries of {titleOf(provider)}</Link>
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Loaded>
  );
}
