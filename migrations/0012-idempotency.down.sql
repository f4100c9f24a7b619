drop schema gateway cascade;
