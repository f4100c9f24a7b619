import { api } from '../../api.ts';
import { TypedConfirmation } from '../dialog.tsx';

/** Confirms that the e-mail address of an account belongs to its holder; for owners. */
export function ConfirmAddress({
  developer_id,
  email,
  changed,
}: {
  developer_id: string;
  email: string;
  changed: () => void;
}) {
  return (
    <TypedConfirmation
      label={`Confirm ${email}`}
      title={`Does ${email} belong to whoever holds this account?`}
      word="confirm"
      run={async () => {
        await api.auth.confirmDeveloper({ developer_id });
        changed();
      }}
    >
      <p>
        Whoever made the invitation could see its link. Ask the holder of the address whether the account is
        theirs, and delete the account if it is not. A confirmed account may join other projects.
      </p>
    </TypedConfirmation>
  );
}
