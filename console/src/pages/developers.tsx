import { useState } from 'preact/hooks';
import { type KeyScope, keyScopes } from '../../../domain/access.ts';
import { api } from '../api.ts';
import { Accounts } from '../parts/accounts/accounts.tsx';
import { Action } from '../parts/action.tsx';
import { ShownOnce, TypedConfirmation } from '../parts/dialog.tsx';
import { Audit } from '../parts/operations/audit.tsx';
import { Section } from '../parts/section.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useResource } from '../resource.ts';
import { can } from '../session.ts';

interface Secret {
  readonly title: string;
  readonly value: string;
}

/** API keys, applications, accounts, and the audit trail. */
export function Developers() {
  const [secret, setSecret] = useState<Secret | null>(null);
  const [version, setVersion] = useState(0);
  const show = (shown: Secret | null) => {
    setSecret(shown);
    setVersion((last) => last + 1);
  };
  return (
    <>
      <h1>Developers</h1>
      <Keys show={show} />
      <Applications show={show} />
      {can('accounts') && <Accounts changed={() => show(null)} />}
      {can('audit') && <Audit version={version} />}
      {secret !== null && (
        <ShownOnce title={secret.title} secret={secret.value} close={() => setSecret(null)} />
      )}
    </>
  );
}

type Show = (secret: Secret | null) => void;

function Keys({ show }: { show: Show }) {
  const keys = useResource('keys', (signal) => api.auth.listKeys({ signal }));
  const [scopes, setScopes] = useState<readonly KeyScope[]>([]);
  const create = async (name: string) => {
    const limits = scopes.length === 0 ? {} : { scopes: [...scopes] };
    show({ title: `API key ${name}`, value: (await api.auth.createKey({ name, ...limits })).key });
    keys.reload();
  };
  return (
    <Section
      title="API keys"
      what="API keys"
      of={keys}
      add={{ label: 'Create a key', run: create, fields: <Scopes {...{ scopes, setScopes }} /> }}
    >
      {(list) =>
        list.length === 0 ? (
          <Empty>There is no API key yet. A backend sends one as the header X-API-Key.</Empty>
        ) : (
          <Table title="API keys" head={['Name', 'May', 'Created', 'Last used', 'Actions']}>
            {list.map(({ id: key_id, former_ids, name, created_at, last_used_at, scopes, expires_at }) => (
              <tr key={key_id}>
                <td>{name}</td>
                <td>
                  {scopes === null ? 'everything' : scopes.join(', ')}
                  {expires_at !== null && (
                    <>
                      {' '}
                      until <Time at={expires_at} />
                    </>
                  )}
                </td>
                <td>
                  <Time at={created_at} />
                </td>
                <td>
                  <Time at={last_used_at} />
                </td>
                <td class="row">
                  <Action
                    run={async () => {
                      show({ title: `API key ${name}`, value: (await api.auth.rotateKey({ key_id })).key });
                      keys.reload();
                    }}
                  >
                    Rotate<span class="hidden"> {name}</span>
                  </Action>
                  <KeyDeletion
                    name={name}
                    ids={[key_id, ...former_ids]}
                    deleted={() => {
                      show(null);
                      keys.reload();
                    }}
                  />
                </td>
              </tr>
            ))}
          </Table>
        )
      }
    </Section>
  );
}

function Scopes(props: { scopes: readonly KeyScope[]; setScopes: (scopes: readonly KeyScope[]) => void }) {
  const { scopes, setScopes } = props;
  return (
    <fieldset class="row">
      <legend>May do: everything, or only</legend>
      {keyScopes.map((scope) => (
        <label key={scope} class="choice">
          <input
            type="checkbox"
            checked={scopes.includes(scope)}
            onChange={() =>
              setScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope])
            }
          />
          {scope}
        </label>
      ))}
    </fieldset>
  );
}

function KeyDeletion({
  name,
  ids,
  deleted,
}: {
  name: string;
  ids: readonly [string, ...string[]];
  deleted: () => void;
}) {
  const [keeps, setKeeps] = useState(false);
  return (
    <TypedConfirmation
      label={`Delete ${name}`}
      title={`Delete the key ${name}?`}
      word="delete"
      run={async () => {
        await api.auth.removeKey({ key_id: ids[0], keep_endpoints: keeps });
        deleted();
      }}
    >
      <p>Requests with this key are refused at once.</p>
      <EndpointsOfKey ids={ids} keeps={keeps} setKeeps={setKeeps} />
    </TypedConfirmation>
  );
}

function EndpointsOfKey({
  ids,
  keeps,
  setKeeps,
}: {
  ids: readonly string[];
  keeps: boolean;
  setKeeps: (keeps: boolean) => void;
}) {
  const endpoints = useResource('endpoints of a key', (signal) => api.webhooks.listEndpoints({ signal }));
  return (
    <Loaded of={endpoints} what="endpoints">
      {(list) => {
        const own = list.filter(({ api_key_id }) => api_key_id !== null && ids.includes(api_key_id));
        if (own.length === 0) return <p>It set the address of no webhook endpoint.</p>;
        return (
          <>
            <p>It set the addresses of these webhook endpoints, which are disabled:</p>
            <ul>
              {own.map(({ id, url }) => (
                <li key={id}>{url}</li>
              ))}
            </ul>
            <label class="choice">
              <input type="checkbox" checked={keeps} onChange={() => setKeeps(!keeps)} />
              Keep them as they are
            </label>
          </>
        );
      }}
    </Loaded>
  );
}

function Applications({ show }: { show: Show }) {
  const applications = useResource('applications', (signal) => api.auth.listApplications({ signal }));
  const create = async (name: string) => {
    show({ title: `Secret of ${name}`, value: (await api.auth.createApplication({ name })).app_secret });
    applications.reload();
  };
  return (
    <Section
      title="Applications"
      what="applications"
      of={applications}
      add={{ label: 'Create an application', run: create }}
    >
      {(list) =>
        list.length === 0 ? (
          <Empty>There is no application yet. One obtains tokens that read the data of one user.</Empty>
        ) : (
          <Table title="Applications" head={['Name', 'app_id', 'Created', 'Actions']}>
            {list.map(({ app_id, name, created_at }) => (
              <tr key={app_id}>
                <td>{name}</td>
                <td>
                  <code>{app_id}</code>
                </td>
                <td>
                  <Time at={created_at} />
                </td>
                <td class="row">
                  <Action
                    run={async () => {
                      const { app_secret } = await api.auth.rotateSecret({ app_id });
                      show({ title: `Secret of ${name}`, value: app_secret });
                    }}
                  >
                    Rotate<span class="hidden"> the secret of {name}</span>
                  </Action>
                  <TypedConfirmation
                    label={`Delete ${name}`}
                    title={`Delete the application ${name}?`}
                    word="delete"
                    run={async () => {
                      await api.auth.removeApplication({ app_id });
                      show(null);
                      applications.reload();
                    }}
                  >
                    <p>The tokens that it obtained end at once.</p>
                  </TypedConfirmation>
                </td>
              </tr>
            ))}
          </Table>
        )
      }
    </Section>
  );
}
