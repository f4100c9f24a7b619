alter table phone.invitation_code drop column id;
