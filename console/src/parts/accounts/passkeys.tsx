import { useState } from 'preact/hooks';
import { api } from '../../api.ts';
import { addPasskey, proofOf } from '../../passkey.ts';
import { useResource } from '../../resource.ts';
import { ways } from '../../session.ts';
import { Form, FormDialog } from '../form.tsx';
import { Section } from '../section.tsx';
import { Table } from '../table.tsx';
import { Time } from '../time.tsx';

/** The passkeys of the signed-in developer: add one, remove one. */
export function Passkeys() {
  const passkeys = useResource('passkeys', (signal) => api.auth.listPasskeys({ signal }));
  return (
    <Section title="Passkeys" what="passkeys" of={passkeys}>
      {(list) => (
        <>
          <p>
            A passkey signs in to the console without a password. Once there is one, the password alone is
            refused: add a second passkey, or an authenticator, in case the device is lost.
          </p>
          {list.length > 0 && (
            <Table title="Passkeys" head={['Name', 'Added', 'Last used', 'Actions']}>
              {list.map(({ id, name, created_at, last_used_at }) => (
                <tr key={id}>
                  <td>{name}</td>
                  <td>
                    <Time at={created_at} />
                  </td>
                  <td>{last_used_at === null ? 'Never' : <Time at={last_used_at} />}</td>
                  <td>
                    <Remove id={id} name={name} removed={passkeys.reload} />
                  </td>
                </tr>
              ))}
            </Table>
          )}
          {ways.value.passwords && (
            <Form
              class="narrow"
              button="Add a passkey"
              label="Add a passkey"
              send={async (field) => {
                await addPasskey(field('name'), field('proof'));
                passkeys.reload();
              }}
            >
              <label>
                Name of the device
                <input name="name" maxLength={100} autocomplete="off" required />
              </label>
              <ProofField />
            </Form>
          )}
        </>
      )}
    </Section>
  );
}

function Remove({ id, name, removed }: { id: string; name: string; removed: () => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="danger" onClick={() => setOpen(true)}>
        Remove<span class="hidden"> the passkey {name}</span>
      </button>
      {isOpen && (
        <FormDialog
          title={`Remove the passkey ${name}?`}
          button="Remove"
          close={() => setOpen(false)}
          send={async (field) => {
            await api.auth.removePasskey({ passkey_id: id, ...proofOf(field('proof')) });
            setOpen(false);
            removed();
          }}
        >
          <p>Your other sessions end.</p>
          <ProofField />
        </FormDialog>
      )}
    </>
  );
}

/** Asks for what proves that the developer may change the factors of the account, as `proofOf` reads it. */
export const ProofField = () => (
  <label>
    Password, or a code of your authenticator
    <input name="proof" type="password" autocomplete="current-password" required />
  </label>
);
