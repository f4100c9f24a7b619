/** A file cannot be read further. The message is a sentence for its user, and contains no value of the file. */
export class FileProblem extends Error {}
