import { useState } from 'preact/hooks';
import type { ApiKey, Member } from '../../../clients/typescript/src/index.ts';
import { type Role, roles } from '../../../domain/access.ts';
import { api } from '../api.ts';
import { ConfirmAddress } from '../parts/accounts/confirm-address.tsx';
import { Invitations, keepChoice, roleIn, usualRole } from '../parts/accounts/invitations.tsx';
import { ProjectDeletion } from '../parts/accounts/project-deletion.tsx';
import { ProjectSettings } from '../parts/accounts/project-settings.tsx';
import { Retention } from '../parts/accounts/retention.tsx';
import { Badge } from '../parts/badge.tsx';
import { TypedConfirmation } from '../parts/dialog.tsx';
import { Form } from '../parts/form.tsx';
import { Section } from '../parts/section.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useResource } from '../resource.ts';
import { can, loadProjects, project, projects } from '../session.ts';

/** The projects of the installation, and the members, invitations and retention rule of the current one. */
export function Members() {
  return (
    <>
      <h1>Members</h1>
      <MembersOfProject />
      <Invitations />
      <ProjectSettings />
      {can('retention') && <Retention />}
      <Projects />
      {can('accounts') && <ProjectDeletion />}
    </>
  );
}

const meanings: Readonly<Record<Role, string>> = {
  admin: 'everything in the project, members and keys included',
  developer: 'keys, applications, webhooks, users and their data',
  support: 'users and connections, no health values',
  analyst: 'reads the data of all users, changes nothing',
};

function MembersOfProject() {
  const members = useResource('members', (signal) => api.auth.listMembers({ signal }));
  const keys = useResource('API keys', (signal) => api.auth.listKeys({ signal }));
  return (
    <Section title={`Members of ${project.value?.name ?? ''}`} what="members" of={members}>
      {(list) => (
        <>
          {list.length === 0 ? (
            <Empty>
              There are no members. Owners of the installation have every permission without a role.
            </Empty>
          ) : (
            <Table title="Members" head={['E-mail address', 'Role', 'Since', 'Actions']}>
              {list.map((one) => (
                <Row key={one.developer_id} member={one} keys={keys} changed={members.reload} />
              ))}
            </Table>
          )}
          <Form
            class="row"
            label="Add a member"
            button="Add a member"
            send={async (field) => {
              await api.auth.addMember({ email: field('email'), role: roleIn(field('role')) });
              members.reload();
            }}
          >
            <label>
              E-mail address of an account
              <input name="email" type="email" autocomplete="off" required />
            </label>
            <label>
              Role
              <select name="role">
                {roles.map((role) => (
                  <option key={role} value={role} selected={role === usualRole} ref={keepChoice}>
                    {role}: {meanings[role]}
                  </option>
                ))}
              </select>
            </label>
          </Form>
        </>
      )}
    </Section>
  );
}

type Keys = ReturnType<typeof useResource<ApiKey[]>>;

// Nobody notices a key of somebody who left, so each is named before it ends.
function KeysOf({ keys, kept }: { keys: readonly ApiKey[] | null; kept: Set<string> }) {
  if (keys === null) return <p>API keys that the member made end too.</p>;
  if (keys.length === 0) return <p>The member made no API key of the project.</p>;
  return (
    <fieldset>
      <legend>API keys that the member made end, with their webhook endpoints. Keep:</legend>
      {keys.map(({ id, name, last_used_at }) => (
        <label key={id} class="choice">
          <input
            type="checkbox"
            onChange={({ currentTarget }) => {
              if (currentTarget.checked) kept.add(id);
              else kept.delete(id);
            }}
          />
          {name}{' '}
          <span class="faint">last used {last_used_at === null ? 'never' : <Time at={last_used_at} />}</span>
        </label>
      ))}
    </fieldset>
  );
}

function Row({
  keys,
  member: { developer_id, email, is_confirmed, role, created_at },
  changed,
}: {
  member: Member;
  keys: Keys;
  changed: () => void;
}) {
  const [kept] = useState(() => new Set<string>());
  return (
    <tr>
      <td>
        {email} {!is_confirmed && <Badge state="not confirmed" />}
      </td>
      <td>
        {role} <span class="faint">{meanings[role]}</span>
      </td>
      <td>
        <Time at={created_at} />
      </td>
      <td>
        {!is_confirmed && can('accounts') && <ConfirmAddress {...{ developer_id, email, changed }} />}
        <TypedConfirmation
          label={`Remove ${email}`}
          title={`Remove ${email} from the project?`}
          word="remove"
          run={async () => {
            const keep_keys = [...kept];
            await api.auth.removeMember({ developer_id, keep_keys });
            keys.reload();
            changed();
          }}
        >
          <p>
            The next request of this developer in the project is refused, and user tokens that the developer
            made end. The account stays.
          </p>
          <KeysOf
            keys={keys.data?.filter(({ created_by }) => created_by === developer_id) ?? null}
            kept={kept}
          />
        </TypedConfirmation>
      </td>
    </tr>
  );
}

function Projects() {
  return (
    <section aria-label="Projects">
      <h2>Projects</h2>
      <Table title="Projects" head={['Id', 'Name', 'Your role', 'State']}>
        {projects.value.map(({ id, name, role, deleting_since }) => (
          <tr key={id}>
            <td>
              <code>{id}</code>
            </td>
            <td>{name}</td>
            <td>{role}</td>
            <td>
              {deleting_since === null ? (
                'open'
              ) : (
                <>
                  being deleted since <Time at={deleting_since} />
                </>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {can('accounts') && (
        <Form
          class="row"
          label="Create a project"
          button="Create a project"
          send={async (field) => {
            await api.auth.createProject({ id: field('id'), name: field('name') });
            await loadProjects();
          }}
        >
          <label>
            Id
            <input name="id" pattern="[a-z0-9][a-z0-9\-]*" maxLength={40} autocomplete="off" required />
          </label>
          <label>
            Name
            <input name="name" maxLength={100} autocomplete="off" required />
          </label>
        </Form>
      )}
    </section>
  );
}
