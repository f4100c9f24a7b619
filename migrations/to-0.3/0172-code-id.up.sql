alter table phone.invitation_code add column id uuid not null default gen_random_uuid();
