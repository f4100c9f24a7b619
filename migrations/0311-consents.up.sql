create table connect.consent (
  id bigint generated always as identity primary key,
  user_id uuid not null,
  provider text not null,
  kind text not null check (kind in ('page', 'provider')),
  text_version integer,
  language text,
  scopes text[] not null,
  session_id uuid,
  agreed_at timestamptz(3) default now() not null,
  withdrawn_at timestamptz(3)
);
create index consent_user on connect.consent (user_id, id);

create function connect.withdraw_consents(whose uuid, from_provider text) returns void language plpgsql security definer
    set search_path to '' as $$
begin
  update connect.consent set withdrawn_at = now()
  where user_id = whose and provider = from_provider and withdrawn_at is null;
end $$;
