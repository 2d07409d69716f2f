// Light or dark: the system's choice until the reader makes one, which this browser keeps. Runs before the first paint.
"use strict";

(() => {
  const STORED = "beaver.theme";
  const root = document.documentElement;
  const darkSystem = matchMedia("(prefers-color-scheme: dark)");

  const stored = () => {
    try {
      return localStorage.getItem(STORED);
    } catch {
      return null;
    }
  };
  const keep = (theme) => {
    try {
      localStorage.setItem(STORED, theme);
    } catch {
      // A browser that keeps nothing: the choice holds until the page is left.
    }
  };
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : darkSystem.matches);

  const chosen = stored();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

  document.addEventListener("DOMContentLoaded", () => {
    const name = document.getElementById("theme-name");
    const say = () => (name.textContent = isDark() ? "Light theme" : "Dark theme");
    document.getElementById("theme").addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      keep(root.dataset.theme);
      say();
    });
    darkSystem.addEventListener("change", say);
    say();
  });
})();
