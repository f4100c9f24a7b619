// Runs before the first paint: a theme that is applied later would flash. The system's theme holds until one is chosen.
const chosen = localStorage.getItem('pulsebus.docs.theme');
const isDark = chosen === null ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark';
document.documentElement.classList.toggle('dark-mode', isDark);
document.documentElement.classList.add('scripted');

document.addEventListener('DOMContentLoaded', () => {
  document.querySelector('#theme').addEventListener('click', () => {
    const dark = document.documentElement.classList.toggle('dark-mode');
    localStorage.setItem('pulsebus.docs.theme', dark ? 'dark' : 'light');
  });
});
