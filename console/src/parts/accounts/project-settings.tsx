import type { ProviderCredentials } from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { useResource } from '../../resource.ts';
import { can, loadProjects, project } from '../../session.ts';
import { titleOf } from '../../titles.ts';
import { TypedConfirmation } from '../dialog.tsx';
import { Form } from '../form.tsx';
import { Section } from '../section.tsx';
import { Table } from '../table.tsx';

/** The credentials of the project at providers, and for owners what its connect page shows. */
export function ProjectSettings() {
  const id = project.value?.id;
  if (id === undefined) return null;
  return (
    <>
      {can('project.settings') && <Credentials projectId={id} />}
      {can('accounts') && <Brand projectId={id} />}
    </>
  );
}

function Credentials({ projectId: project_id }: { projectId: string }) {
  const credentials = useResource('credentials', (signal) =>
    api.users.credentials({ project_id }, { signal }),
  );
  return (
    <Section title="Credentials at providers" what="credentials" of={credentials}>
      {(list) => (
        <>
          <Table title="Credentials at providers" head={['Provider', 'Credentials', 'Client id', 'Actions']}>
            {list.map((one) => (
              <Row key={one.provider} projectId={project_id} one={one} changed={credentials.reload} />
            ))}
          </Table>
          <Form
            class="row"
            label="Set credentials"
            button="Set credentials"
            send={async (field) => {
              const provider = list.find((one) => one.provider === field('provider'))?.provider;
              if (provider === undefined) throw new Error('Choose a provider.');
              const given = { client_id: field('client_id'), client_secret: field('client_secret') };
              await api.users.setCredentials({ project_id, provider, ...given });
              credentials.reload();
            }}
          >
            <label>
              Provider
              <select name="provider">
                {list
                  .filter(({ refusal }) => refusal === null)
                  .map(({ provider }) => (
                    <option key={provider} value={provider}>
                      {titleOf(provider)}
                    </option>
                  ))}
              </select>
            </label>
            <label>
              Client id
              <input name="client_id" maxLength={255} autocomplete="off" required />
            </label>
            <label>
              Client secret
              <input name="client_secret" type="password" maxLength={1000} autocomplete="off" required />
            </label>
          </Form>
        </>
      )}
    </Section>
  );
}

function Row({
  projectId: project_id,
  one: { provider, source, client_id, refusal },
  changed,
}: {
  projectId: string;
  one: ProviderCredentials;
  changed: () => void;
}) {
  const title = titleOf(provider);
  return (
    <tr>
      <td>{title}</td>
      <td>{source === 'project' ? 'of the project' : (refusal ?? 'of the installation')}</td>
      <td>{client_id === null ? '–' : <code>{client_id}</code>}</td>
      <td>
        {source === 'project' && (
          <TypedConfirmation
            label="Remove"
            title={`Remove the credentials at ${title}`}
            word={provider}
            run={async () => {
              await api.users.removeCredentials({ project_id, provider });
              changed();
            }}
          >
            <p>
              Connections that were made with them are read until their access expires. Then their users have
              to connect again.
            </p>
          </TypedConfirmation>
        )}
      </td>
    </tr>
  );
}

function Brand({ projectId: project_id }: { projectId: string }) {
  const { connect_name = null, connect_colour = null, connect_logo = null } = project.value ?? {};
  return (
    <section aria-label="Connect page">
      <h2>Connect page</h2>
      {connect_logo !== null && <img src={connect_logo} alt="Logo" height={48} />}
      <Form
        class="row"
        label="Connect page"
        button="Save"
        send={async (field) => {
          const colour = field('connect_colour').trim();
          const name = field('connect_name').trim();
          const given = {
            connect_name: name === '' ? null : name,
            connect_colour: colour === '' ? null : colour,
          };
          await api.auth.updateProject({ project_id, ...given });
          await loadProjects();
        }}
      >
        <label>
          Name
          <input name="connect_name" defaultValue={connect_name ?? ''} maxLength={100} autocomplete="off" />
        </label>
        <label>
          Colour
          <input
            name="connect_colour"
            defaultValue={connect_colour ?? ''}
            pattern="#[0-9a-fA-F]{6}"
            placeholder="#1a6b52"
            autocomplete="off"
          />
        </label>
      </Form>
      <Logo projectId={project_id} isSet={connect_logo !== null} />
    </section>
  );
}

function Logo({ projectId: project_id, isSet }: { projectId: string; isSet: boolean }) {
  return (
    <>
      <Form
        class="row"
        label="Logo"
        button="Set the logo"
        send={async () => {
          const input = document.querySelector('input[name=logo]');
          const file = input instanceof HTMLInputElement ? input.files?.[0] : undefined;
          if (file === undefined) throw new Error('Choose a file.');
          await api.auth.putConnectLogo({ project_id, image: await base64Of(file) });
          await loadProjects();
        }}
      >
        <label>
          Logo: PNG, JPEG or WebP of at most 100 kB
          <input name="logo" type="file" accept="image/png,image/jpeg,image/webp" required />
        </label>
      </Form>
      {isSet && (
        <Form
          class="row"
          label="Remove the logo"
          button="Remove the logo"
          send={async () => {
            await api.auth.removeConnectLogo({ project_id });
            await loadProjects();
          }}
        >
          {null}
        </Form>
      )}
    </>
  );
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
