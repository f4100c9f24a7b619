create schema fhir;

create table fhir.export (
  id uuid primary key,
  project_id text not null,
  of_user boolean not null,
  types text[] not null,
  since timestamptz(3),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index export_of_project on fhir.export (project_id, created_at);
create index export_expires_at on fhir.export (expires_at);
