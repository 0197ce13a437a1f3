/** The theme that was chosen on this device; until then the system decides. */

const KEY = "console.theme";

export type Theme = "light" | "dark";

/** Return the chosen theme. */
export function chosenTheme(): Theme | null {
  const stored = localStorage.getItem(KEY);
  return stored === "light" || stored === "dark" ? stored : null;
}

/** Keep a theme for this device, and show the page in it. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  showTheme(theme);
}

/** Show the page in a theme. */
export function showTheme(theme: Theme | null): void {
  if (theme) document.documentElement.dataset.theme = theme;
}
