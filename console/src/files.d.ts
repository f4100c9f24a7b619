// What the build makes of imported files: the address of a picture, and styles without a value.
declare module '*.svg' {
  const address: string;
  export default address;
}
declare module '*.css';
