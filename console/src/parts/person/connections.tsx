import { useState } from 'preact/hooks';
import type {
  Backfill,
  Connection,
  ConnectionFreshness,
  InvitationCode,
  Provider,
} from '../../../../clients/typescript/src/index.ts';
import { NotFoundError, providers } from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { actionTexts } from '../../freshness-texts.ts';
import { useRepeated, useResource } from '../../resource.ts';
import { can } from '../../session.ts';
import { titleOf, typeName } from '../../titles.ts';
import { Action } from '../action.tsx';
import { Badge } from '../badge.tsx';
import { ShownOnce, TypedConfirmation } from '../dialog.tsx';
import { ProviderTitle } from '../provider-title.tsx';
import { Loaded, Problem } from '../states.tsx';
import { Time } from '../time.tsx';
import { ConnectLink } from './connect-link.tsx';
import { FreshnessFacts } from './connection-freshness.tsx';
import { FileImports } from './file-imports.tsx';

/** Data turns late without an event that the change feed has. */
const freshMs = 30_000;

/** The connections of a user: state, scope, last data, backfill; connect and disconnect. */
export function Connections({ userId, version }: { userId: string; version: number }) {
  const connections = useResource(
    `${userId} ${version}`,
    (signal) => api.users.connections({ user_id: userId }, { signal }),
    true,
  );
  const freshness = useResource(
    `${userId} ${version}`,
    (signal) => api.freshness.ofUser({ user_id: userId }, { signal }),
    true,
  );
  useRepeated(freshMs, freshness.reload);
  const setups = useResource('providers', (signal) => api.deliveries.providers({ signal }));
  const connectedBy = (provider: Provider) =>
    setups.data?.find((one) => one.provider === provider)?.connected_by ?? 'consent_page';
  const isByApp = (provider: Provider) => connectedBy(provider) !== 'consent_page';
  return (
    <Loaded of={connections} what="connections">
      {(list) => (
        <>
          {freshness.error !== undefined && (
            <Problem error={freshness.error} what="freshness" retry={freshness.reload} />
          )}
          <div class="columns">
            {providers.map((provider) => {
              const one = list.find((connection) => connection.provider === provider);
              const fresh = freshness.data?.data.find((found) => found.connection_id === one?.id);
              const isEnded = fresh?.action === 'reconnect';
              return (
                <section key={provider} class="card" aria-label={titleOf(provider)}>
                  <h3>
                    <ProviderTitle provider={provider} /> <Badge state={one?.status ?? 'not connected'} />
                  </h3>
                  {one === undefined ? (
                    <p class="faint">No account is connected.</p>
                  ) : (
                    <Details
                      {...{ connection: one, fresh }}
                      isByApp={isByApp(provider)}
                      changed={connections.reload}
                    />
                  )}
                  {can('tokens.issue') && connectedBy(provider) === 'app' && <Invitation userId={userId} />}
                  {connectedBy(provider) === 'import' && (
                    <FileImports userId={userId} changed={connections.reload} />
                  )}
                  {can('connections.link') &&
                    connectedBy(provider) !== 'import' &&
                    (one?.status !== 'active' || isEnded) && (
                      <ConnectLink {...{ userId, provider, isEnded }} isAnew={one === undefined} />
                    )}
                </section>
              );
            })}
          </div>
        </>
      )}
    </Loaded>
  );
}

/** Makes a code that the user types into an app, which then sends data. */
function Invitation({ userId }: { userId: string }) {
  const [made, setMade] = useState<InvitationCode | null>(null);
  return (
    <p>
      <Action run={async () => setMade(await api.phoneIngest.createCode({ user_id: userId }))}>
        Make an invitation code
      </Action>
      {made !== null && (
        <ShownOnce title="Invitation code" secret={made.code} close={() => setMade(null)}>
          <p>
            The user types it into the app until <Time at={made.expires_at} />. It works once, and a new code
            replaces it.
          </p>
        </ShownOnce>
      )}
    </p>
  );
}

interface OfConnection {
  readonly connection: Connection;
  /** Undefined: nothing is expected, or it is not read yet. */
  readonly fresh: ConnectionFreshness | undefined;
  /** An app sends the data: there is no backfill to start or to cancel. */
  readonly isByApp: boolean;
  readonly changed: () => void;
}

function Details({ connection, fresh, isByApp, changed }: OfConnection) {
  const { user_id, provider } = connection;
  return (
    <>
      <dl class="facts">
        <dt>Account</dt>
        <dd>{connection.provider_user_id}</dd>
        {connection.region !== null && (
          <>
            <dt>Region</dt>
            <dd>{connection.region}</dd>
          </>
        )}
        <dt>Last data</dt>
        <dd>
          <Time at={connection.last_synced_at} />
        </dd>
        <dt>Connected</dt>
        <dd>
          <Time at={connection.created_at} />
        </dd>
        {!isByApp && (
          <>
            <dt>Access expires</dt>
            <dd>
              <Expiry connection={connection} />
            </dd>
            <dt>Scope</dt>
            <dd>{connection.scope.join(', ') || 'none'}</dd>
          </>
        )}
        {fresh !== undefined && <FreshnessFacts of={fresh} />}
      </dl>
      <LastError connection={connection} />
      {fresh?.action && <p>{actionTexts[fresh.action]}</p>}
      {connection.status === 'active' && (
        <>
          <BackfillState userId={user_id} provider={provider} isByApp={isByApp} />
          {can('connections.write') && (
            <TypedConfirmation
              label={`Disconnect ${titleOf(provider)}`}
              title={`Disconnect ${titleOf(provider)}?`}
              word="disconnect"
              run={async () => {
                await api.users.disconnect({ user_id, provider });
                changed();
              }}
            >
              <p>Our access to the account ends. The data stays.</p>
            </TypedConfirmation>
          )}
        </>
      )}
    </>
  );
}

function Expiry({ connection: { access_expires_at, status } }: { connection: Connection }) {
  if (status !== 'active') return <>It has ended.</>;
  if (access_expires_at === null) return <>The provider named no time.</>;
  return (
    <>
      <Time at={access_expires_at} />, renewed before
    </>
  );
}

/** Why a connection does not work, read with it. */
function LastError({ connection }: { connection: Connection }) {
  const { user_id, provider, updated_at, status } = connection;
  const read = useResource(
    `${user_id} ${provider} ${updated_at} ${status}`,
    (signal) => api.connect.status({ user_id, provider }, { signal }),
    true,
  );
  const sentence = read.data?.last_error ?? null;
  return sentence === null ? null : <p class="problem">{sentence}</p>;
}

const pollMs = 5000;

function BackfillState({
  userId,
  provider,
  isByApp,
}: {
  userId: string;
  provider: Provider;
  isByApp: boolean;
}) {
  const backfill = useResource<Backfill | null>(
    `${userId} ${provider}`,
    (signal) => newest(userId, provider, signal),
    true,
  );
  useRepeated(pollMs, () => backfill.data?.status === 'running' && backfill.reload());
  const path = { user_id: userId, provider };
  return (
    <Loaded of={backfill} what="backfill">
      {(one) => (
        <>
          {one !== null && <Progress backfill={one} />}
          {can('connections.write') && !isByApp && (
            <BackfillAction {...path} isRunning={one?.status === 'running'} changed={backfill.reload} />
          )}
        </>
      )}
    </Loaded>
  );
}

function BackfillAction({
  isRunning,
  changed,
  ...path
}: {
  user_id: string;
  provider: Provider;
  isRunning: boolean;
  changed: () => void;
}) {
  const run = (work: (given: typeof path) => Promise<unknown>) => async () => {
    await work(path);
    changed();
  };
  return (
    <p class="row">
      {isRunning ? (
        <Action run={run((given) => api.backfill.cancel(given))}>Cancel the backfill</Action>
      ) : (
        <Action run={run((given) => api.backfill.start(given))}>Start a backfill</Action>
      )}
    </p>
  );
}

async function newest(user_id: string, provider: Provider, signal: AbortSignal): Promise<Backfill | null> {
  try {
    return await api.backfill.status({ user_id, provider }, { signal });
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

function Progress({ backfill }: { backfill: Backfill }) {
  const done = backfill.types.reduce((sum, one) => sum + one.requests_done, 0);
  const all = backfill.types.reduce((sum, one) => sum + one.requests, 0);
  return (
    <details>
      <summary>
        Backfill <Badge state={backfill.status} /> {done} of {all} requests
        {backfill.reason !== null && `, ${backfill.reason}`}
      </summary>
      <ul>
        {backfill.types.map(({ type, status, requests, requests_done, saved, skipped }) => (
          <li key={type}>
            {typeName(type)}: {status}, {requests_done} of {requests}, {saved} saved
            {skipped.map(({ reason, records }) => (
              <small key={reason}>
                {' '}
                {records} not stored: {reason}
              </small>
            ))}
          </li>
        ))}
      </ul>
    </details>
  );
}
