drop table phone.upload_ids;
