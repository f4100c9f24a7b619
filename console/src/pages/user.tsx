import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import type { User as UserFields } from '../../../clients/typescript/src/index.ts';
import type { Permission } from '../../../domain/access.ts';
import { api, streamUrl } from '../api.ts';
import { useChanges } from '../changes.ts';
import { Copy } from '../parts/copy.tsx';
import { Day } from '../parts/day/day.tsx';
import { TypedConfirmation } from '../parts/dialog.tsx';
import { ActivityDays } from '../parts/person/activity-days.tsx';
import { ActivityLog } from '../parts/person/activity-log.tsx';
import { Body } from '../parts/person/body.tsx';
import { Connections } from '../parts/person/connections.tsx';
import { Consents } from '../parts/person/consents.tsx';
import { Data } from '../parts/person/data.tsx';
import type { OfUser } from '../parts/person/of-user.ts';
import { Scores } from '../parts/person/scores.tsx';
import { Sleep } from '../parts/person/sleep/sleep.tsx';
import { Trends } from '../parts/person/trends.tsx';
import { Workouts } from '../parts/person/workouts/workouts.tsx';
import type { PageProps } from '../parts/shell.tsx';
import { Loaded, Problem } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { useResource } from '../resource.ts';
import { Link, navigate } from '../router.tsx';
import { can } from '../session.ts';
import { newestZone, setZone, UserZone, useZone } from '../user-zone.ts';
import { zoneName } from '../zone.ts';

/** What a tab gets: its user, and the record that the address names, '' for none. */
interface TabProps extends OfUser {
  readonly item: string;
}

interface Tab {
  /** The part of the address. */
  readonly part: string;
  readonly name: string;
  readonly needs: Permission;
  readonly content: ComponentType<TabProps>;
}

const tabs: readonly Tab[] = [
  { part: 'day', name: 'Day', needs: 'data.read', content: Day },
  { part: 'sleep', name: 'Sleep', needs: 'data.read', content: Sleep },
  { part: 'workouts', name: 'Workouts', needs: 'data.read', content: Workouts },
  { part: 'body', name: 'Body', needs: 'data.read', content: BodyTab },
  { part: 'trends', name: 'Trends', needs: 'data.read', content: Trends },
  { part: 'data', name: 'Data', needs: 'data.read', content: Data },
  { part: 'connections', name: 'Connections', needs: 'users.read', content: ConnectionsTab },
  { part: 'activity', name: 'Activity log', needs: 'accesses.read', content: ActivityLog },
];

function BodyTab(of: TabProps) {
  return (
    <>
      <h2>Body</h2>
      <Body {...of}>
        <h2>Steps</h2>
        <ActivityDays {...of} />
        <h2>Scores</h2>
        <Scores {...of} />
      </Body>
    </>
  );
}

function ConnectionsTab(of: TabProps) {
  return (
    <>
      <h2>Connections</h2>
      <Connections {...of} />
      <h2>Consents</h2>
      <Consents {...of} />
    </>
  );
}

/** One user: a tab for each kind of data, the connections, and what can be done. It is renewed as changes arrive. */
export function User({ id, part, item }: PageProps) {
  const [isLeaving, setLeaving] = useState(false);
  const version = useChanges({ userId: id, isFollowed: !isLeaving });
  const user = useResource(`${id} ${version}`, (signal) => readUser(id, signal), true);
  const shown = tabs.filter(({ needs }) => can(needs));
  const tab = part === '' ? shown[0] : shown.find((one) => one.part === part);
  if (user.error !== undefined && user.data === undefined)
    return (
      <>
        <h1>User</h1>
        <Problem error={user.error} what="user" retry={user.reload} />
      </>
    );
  return (
    <>
      {user.data === undefined && <h1>User</h1>}
      <Loaded of={user} what="user">
        {({ fields, zone }) => (
          <UserZone.Provider value={zone}>
            <Head user={fields} setLeaving={setLeaving} />
            <nav class="tabs" aria-label="Parts of the user">
              {shown.map((one) => (
                <Link key={one.part} to={`/users/${id}/${one.part}`} isCurrent={one === tab}>
                  {one.name}
                </Link>
              ))}
            </nav>
            {tab === undefined ? (
              <p class="state">A user has no such part, or your role does not show it.</p>
            ) : (
              <tab.content userId={id} version={version} item={item} />
            )}
          </UserZone.Provider>
        )}
      </Loaded>
    </>
  );
}

// Sections are read after the zone, which decides their days.
async function readUser(user_id: string, signal: AbortSignal) {
  const [fields, zone] = await Promise.all([
    api.users.get({ user_id }, { signal }),
    can('data.read') ? newestZone(user_id, signal) : null,
  ]);
  return { fields, zone: setZone(fields) ?? zone };
}

function Head({ user, setLeaving }: { user: UserFields; setLeaving: (isLeaving: boolean) => void }) {
  const zone = useZone();
  const name = [user.first_name, user.last_name].filter((part) => part !== null).join(' ');
  return (
    <>
      <div class="row between">
        <h1>{name === '' ? 'User without a name' : name}</h1>
        <div class="row">
          {can('data.export') && (
            <a class="button" href={streamUrl(`/users/${user.id}/export`)} download>
              Export all data
            </a>
          )}
          {can('users.write') && (
            <TypedConfirmation
              label="Delete the user"
              title={`Delete ${name === '' ? 'this user' : name}?`}
              word="delete"
              run={async () => {
                setLeaving(true); // the change that says that the user is deleted would be read as one to show
                await api.users.remove({ user_id: user.id }).catch((error: unknown) => {
                  setLeaving(false);
                  throw error;
                });
                navigate('/users');
              }}
            >
              <p>All samples, records and connections of the user are erased. This cannot be undone.</p>
            </TypedConfirmation>
          )}
        </div>
      </div>
      <p class="faint line">
        {user.external_user_id !== null && <span>{user.external_user_id}</span>}
        {user.email !== null && <span>{user.email}</span>}
        <span>{zone === null ? `Time zone not known, times are in ${zoneName(zone)}` : zoneName(zone)}</span>
        <span>
          Created <Time at={user.created_at} />
        </span>
        <Copy text={user.id} of="of the user" label="Copy id" />
      </p>
    </>
  );
}
