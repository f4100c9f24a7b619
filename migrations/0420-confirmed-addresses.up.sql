alter table auth.developer add column confirmed_at timestamptz(3);

-- Of the accounts of before, owners are confirmed, and accounts that an owner made or an identity provider. One that an invitation made
-- is not: the answer to whoever made the invitation had its link. Its creation and the acceptance are entries of one request.
update auth.developer d set confirmed_at = created_at
where d.is_owner
  or exists (
    select from auth.audit_entry made where made.action = 'developer.created' and made.subject_id = d.id
    and made.actor like 'admin:%' and made.actor <> 'admin:' || d.id
  )
  or exists (
    select from auth.identity i where i.developer_id = d.id and not exists (
      select from auth.audit_entry joined join auth.audit_entry made on made.request_id = joined.request_id
      where joined.action = 'invitation.accepted' and joined.actor = 'admin:' || d.id
      and made.action = 'developer.created' and made.subject_id = d.id
    )
  );

alter table auth.invitation add column confirms boolean default false not null;
