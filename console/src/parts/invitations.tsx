import { api } from '../api.ts';
import { useResource } from '../resource.ts';
import { Action } from './action.tsx';
import { Form } from './form.tsx';
import { Section } from './section.tsx';
import { Empty } from './states.tsx';
import { Table } from './table.tsx';
import { Time } from './time.tsx';

const roles = ['admin', 'developer', 'support', 'analyst'] as const;

/** The open invitations to the project: make one, revoke one. */
export function Invitations({ show }: { show: (secret: { title: string; value: string } | null) => void }) {
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
                        show(null);
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
          const role = roles.find((one) => one === field('role')) ?? 'support';
          const { email, link } = await api.auth.createInvitation({ email: field('email'), role });
          show({ title: `Invitation of ${email}`, value: link });
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
              <option key={role}>{role}</option>
            ))}
          </select>
        </label>
      </Form>
    </>
  );
}
