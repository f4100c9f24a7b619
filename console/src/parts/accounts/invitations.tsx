import { useState } from 'preact/hooks';
import type { NewInvitation } from '../../../../clients/typescript/src/index.ts';
import { type Role, roles } from '../../../../domain/access.ts';
import { api } from '../../api.ts';
import { useResource } from '../../resource.ts';
import { can } from '../../session.ts';
import { Action } from '../action.tsx';
import { ShownOnce } from '../dialog.tsx';
import { Form } from '../form.tsx';
import { Section } from '../section.tsx';
import { Empty } from '../states.tsx';
import { Table } from '../table.tsx';
import { Time } from '../time.tsx';

const unconfirmed =
  'The address of the new account is not confirmed by it: an owner confirms it before the account joins another project.';

/** The role that forms propose: the one that sees no health values. */
export const usualRole: Role = 'support';

/** Makes the option that is chosen first the one that a form returns to once it was sent. Otherwise it would be the first one: admin. */
export const keepChoice = (option: HTMLOptionElement | null) => {
  if (option !== null) option.defaultSelected = option.value === usualRole;
};

/** The role of a choice. */
export const roleIn = (text: string): Role => roles.find((role) => role === text) ?? 'support';

/** The open invitations to the project: make one, revoke one. */
export function Invitations() {
  const [made, setMade] = useState<NewInvitation | null>(null);
  const invitations = useResource('invitations', (signal) => api.auth.listInvitations({ signal }));
  return (
    <>
      <Section title="Invitations" what="invitations" of={invitations}>
        {(list) =>
          list.length === 0 ? (
            <Empty>There is no open invitation. A new member gets a link that serves once.</Empty>
          ) : (
            <Table title="Invitations" head={['E-mail address', 'Role', 'Expires', 'Actions']}>
              {list.map(({ id: invitation_id, email, role, expires_at }) => (
                <tr key={invitation_id}>
                  <td>{email}</td>
                  <td>{role}</td>
                  <td>
                    <Time at={expires_at} />
                  </td>
                  <td>
                    <Action
                      run={async () => {
                        await api.auth.removeInvitation({ invitation_id });
                        invitations.reload();
                      }}
                    >
                      Revoke<span class="hidden"> the invitation of {email}</span>
                    </Action>
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Section>
      <Form
        class="row"
        label="Invite a member"
        button="Invite"
        send={async (field) => {
          const given = { email: field('email'), role: roleIn(field('role')) };
          setMade(await api.auth.createInvitation(given));
          invitations.reload();
        }}
      >
        <label>
          E-mail address
          <input name="email" type="email" autocomplete="off" required />
        </label>
        <label>
          Role
          <select name="role">
            {roles.map((role) => (
              <option key={role} selected={role === usualRole} ref={keepChoice}>
                {role}
              </option>
            ))}
          </select>
        </label>
      </Form>
      {made !== null && made.link === null && (
        <p role="status">The link is on its way to {made.email}. Only that message has it.</p>
      )}
      {made !== null && made.link !== null && (
        <ShownOnce title={`Link for ${made.email}`} secret={made.link} close={() => setMade(null)}>
          <p>Whoever has this link joins. {can('accounts') ? '' : unconfirmed}</p>
        </ShownOnce>
      )}
    </>
  );
}
