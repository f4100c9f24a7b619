import { api } from '../../api.ts';
import { useResource } from '../../resource.ts';
import { session } from '../../session.ts';
import { Badge } from '../badge.tsx';
import { TypedConfirmation } from '../dialog.tsx';
import { Form } from '../form.tsx';
import { Section } from '../section.tsx';
import { Table } from '../table.tsx';
import { Time } from '../time.tsx';
import { ConfirmAddress } from './confirm-address.tsx';

/** The accounts of developers: create one, delete another one than one's own. */
export function Accounts({ changed }: { changed: () => void }) {
  const accounts = useResource('accounts', (signal) => api.auth.listDevelopers({ signal }));
  const own = session.value?.developer.id;
  const renew = () => {
    accounts.reload();
    changed();
  };
  return (
    <>
      <Section title="Accounts" what="accounts" of={accounts}>
        {(list) => (
          <Table title="Accounts" head={['E-mail address', 'Created', 'Actions']}>
            {list.map(({ id, email, is_confirmed, created_at }) => (
              <tr key={id}>
                <td>
                  {email} {!is_confirmed && <Badge state="not confirmed" />}
                </td>
                <td>
                  <Time at={created_at} />
                </td>
                <td>
                  {!is_confirmed && <ConfirmAddress developer_id={id} email={email} changed={renew} />}
                  {id === own ? (
                    <span class="faint">your account</span>
                  ) : (
                    <Remove {...{ id, email, renew }} />
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Section>
      <CreateAccount created={renew} />
    </>
  );
}

function Remove({ id, email, renew }: { id: string; email: string; renew: () => void }) {
  return (
    <TypedConfirmation
      label={`Delete ${email}`}
      title={`Delete the account ${email}?`}
      word="delete"
      run={async () => {
        await api.auth.removeDeveloper({ developer_id: id });
        renew();
      }}
    >
      <p>Its sessions end at once. API keys that it created keep working.</p>
    </TypedConfirmation>
  );
}

function CreateAccount({ created }: { created: () => void }) {
  return (
    <Form
      class="row"
      label="Create an account"
      button="Create an account"
      send={async (field) => {
        await api.auth.createDeveloper({ email: field('email'), password: field('password') });
        created();
      }}
    >
      <label>
        E-mail address
        <input name="email" type="email" autocomplete="off" required />
      </label>
      <label>
        Initial password
        <input name="password" type="password" autocomplete="new-password" minLength={10} required />
      </label>
    </Form>
  );
}
