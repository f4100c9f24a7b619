import { useState } from 'preact/hooks';
import type { NewTotp } from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { proofOf } from '../../passkey.ts';
import { useResource } from '../../resource.ts';
import { Action } from '../action.tsx';
import { ShownOnce } from '../dialog.tsx';
import { Form } from '../form.tsx';
import { Section } from '../section.tsx';
import { ProofField } from './passkeys.tsx';

/** The authenticator of the signed-in developer: turn it on with a code, or off. */
export function Authenticator() {
  const totp = useResource('authenticator', (signal) => api.auth.showTotp({ signal }));
  const [begun, setBegun] = useState<NewTotp | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  return (
    <Section title="Authenticator" what="the authenticator" of={totp}>
      {({ enabled, recovery_codes }) => (
        <>
          {enabled ? (
            <TurnOff left={recovery_codes} changed={totp.reload} />
          ) : begun === null ? (
            <>
              <p>An authenticator app shows a code that each sign-in needs besides the password.</p>
              <Action run={async () => setBegun(await api.auth.beginTotp())}>Set up an authenticator</Action>
            </>
          ) : (
            <Confirm
              begun={begun}
              confirmed={(made) => {
                setCodes(made);
                setBegun(null);
                totp.reload();
              }}
            />
          )}
          {codes !== null && (
            <ShownOnce title="Recovery codes" secret={codes.join('\n')} close={() => setCodes(null)}>
              <p>Each of them signs in once where you do not have the authenticator.</p>
            </ShownOnce>
          )}
        </>
      )}
    </Section>
  );
}

function Confirm({ begun, confirmed }: { begun: NewTotp; confirmed: (codes: readonly string[]) => void }) {
  return (
    <Form
      class="narrow"
      kind="main"
      button="Turn it on"
      label="Turn the authenticator on"
      send={async (field) => {
        confirmed((await api.auth.confirmTotp({ code: field('code') })).recovery_codes);
      }}
    >
      <p>
        Add this secret to your authenticator, or <a href={begun.otpauth_url}>open it on this device</a>:
      </p>
      <p>
        <code class="secret">{begun.secret}</code>
      </p>
      <label>
        Code that it shows
        <input name="code" inputMode="numeric" autocomplete="one-time-code" required />
      </label>
    </Form>
  );
}

function TurnOff({ left, changed }: { left: number; changed: () => void }) {
  return (
    <>
      <p>The authenticator is on. {left} of 10 recovery codes are left.</p>
      <Form
        class="narrow"
        button="Turn it off"
        label="Turn the authenticator off"
        send={async (field) => {
          await api.auth.removeTotp(proofOf(field('proof')));
          changed();
        }}
      >
        <ProofField />
      </Form>
    </>
  );
}
