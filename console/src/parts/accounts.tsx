import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { useResource } from '../resource.ts';
import { session } from '../session.ts';
import { TypedConfirmation } from './dialog.tsx';
import { Section } from './section.tsx';
import { Table } from './table.tsx';
import { Time } from './time.tsx';

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
            {list.map(({ id, email, created_at }) => (
              <tr key={id}>
                <td>{email}</td>
                <td>
                  <Time at={created_at} />
                </td>
                <td>
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
  const [problem, setProblem] = useState('');
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const fields = new FormData(form);
    try {
      setProblem('');
      const given = { email: String(fields.get('email')), password: String(fields.get('password')) };
      await api.auth.createDeveloper(given);
      form.reset();
      created();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <form class="row" onSubmit={submit} aria-label="Create an account">
      <label>
        E-mail address
        <input name="email" type="email" autocomplete="off" required />
      </label>
      <label>
        Initial password
        <input name="password" type="password" autocomplete="new-password" minLength={10} required />
      </label>
      <button type="submit">Create an account</button>
      {problem !== '' && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
