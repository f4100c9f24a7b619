alter table imports.import drop member_path, drop member_position;
