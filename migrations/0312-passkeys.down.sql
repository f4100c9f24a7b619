drop table auth.passkey_challenge;

-- Accounts with a passkey could be signed in to with the password alone.
do $$ begin
  if exists (select from auth.passkey) then
    raise exception 'accounts have passkeys: remove them before this step is taken back';
  end if;
end $$;
drop table auth.passkey;
