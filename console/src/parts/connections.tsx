import { useState } from 'preact/hooks';
import type { Backfill, Connection, Provider } from '../../../clients/typescript/src/index.ts';
import { NotFoundError, providers } from '../../../clients/typescript/src/index.ts';
import { api } from '../api.ts';
import { useRepeated, useResource } from '../resource.ts';
import { Action } from './action.tsx';
import { Badge } from './badge.tsx';
import { Copy } from './copy.tsx';
import { TypedConfirmation } from './dialog.tsx';
import { Loaded } from './states.tsx';
import { Time } from './time.tsx';

/** The connections of a user: state, scope, last data, backfill; connect and disconnect. */
export function Connections({ userId, version }: { userId: string; version: number }) {
  const connections = useResource(
    `${userId} ${version}`,
    (signal) => api.users.connections({ user_id: userId }, { signal }),
    true,
  );
  return (
    <Loaded of={connections} what="connections">
      {(list) => (
        <div class="columns">
          {providers.map((provider) => {
            const one = list.find((connection) => connection.provider === provider);
            return (
              <section key={provider} class="card" aria-label={provider}>
                <h3>
                  {provider} <Badge state={one?.status ?? 'not connected'} />
                </h3>
                {one === undefined ? (
                  <p class="faint">No account is connected.</p>
                ) : (
                  <Details connection={one} changed={connections.reload} />
                )}
                {one?.status !== 'active' && (
                  <Connect userId={userId} provider={provider} isAnew={one === undefined} />
                )}
              </section>
            );
          })}
        </div>
      )}
    </Loaded>
  );
}

function Connect({ userId, provider, isAnew }: { userId: string; provider: Provider; isAnew: boolean }) {
  const [link, setLink] = useState('');
  const make = async () =>
    setLink((await api.connect.createSession({ user_id: userId, providers: [provider] })).url);
  if (link === '')
    return (
      <Action run={make}>
        {isAnew ? 'Connect' : 'Connect again:'} {provider}
      </Action>
    );
  return (
    <>
      <p class="row">
        <a class="button" href={link} target="_blank" rel="noopener noreferrer">
          Open the connect page of {provider}
        </a>
        <Copy text={link} of="the address of the connect page" />
      </p>
      <p class="faint">
        Open it here, or send it to the user. It works for 30 minutes, in the first browser that opens it.
        This page shows the connection as soon as it is made.
      </p>
    </>
  );
}

function Details({ connection, changed }: { connection: Connection; changed: () => void }) {
  const { user_id, provider } = connection;
  return (
    <>
      <dl class="facts">
        <dt>Account</dt>
        <dd>{connection.provider_user_id}</dd>
        <dt>Last data</dt>
        <dd>
          <Time at={connection.last_synced_at} />
        </dd>
        <dt>Connected</dt>
        <dd>
          <Time at={connection.created_at} />
        </dd>
        <dt>Access expires</dt>
        <dd>
          <Expiry connection={connection} />
        </dd>
        <dt>Scope</dt>
        <dd>{connection.scope.join(', ') || 'none'}</dd>
      </dl>
      <LastError connection={connection} />
      {connection.status === 'active' && (
        <>
          <BackfillState userId={user_id} provider={provider} />
          <TypedConfirmation
            label={`Disconnect ${provider}`}
            title={`Disconnect ${provider}?`}
            word="disconnect"
            run={async () => {
              await api.users.disconnect({ user_id, provider });
              changed();
            }}
          >
            <p>Our access to the account ends. The data stays.</p>
          </TypedConfirmation>
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

function BackfillState({ userId, provider }: { userId: string; provider: Provider }) {
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
          <p class="row">
            {one?.status === 'running' ? (
              <Action
                run={async () => {
                  await api.backfill.cancel(path);
                  backfill.reload();
                }}
              >
                Cancel the backfill
              </Action>
            ) : (
              <Action
                run={async () => {
                  await api.backfill.start(path);
                  backfill.reload();
                }}
              >
                Start a backfill
              </Action>
            )}
          </p>
        </>
      )}
    </Loaded>
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
        {backfill.types.map(({ type, status, requests, requests_done, saved }) => (
          <li key={type}>
            {type.replaceAll('_', ' ')}: {status}, {requests_done} of {requests}, {saved} saved
          </li>
        ))}
      </ul>
    </details>
  );
}
