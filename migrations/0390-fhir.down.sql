drop schema fhir cascade;
