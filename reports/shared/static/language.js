"use strict";
// The language that is shown: remembered where the browser lets a page remember.
const REMEMBERED = "touchstone-report-language";
const MARKS = { en: [".", ","], it: [",", "."] };
const settings = JSON.parse(document.getElementById("page-settings").textContent);
const shown = { language: "en", chosen: settings.chosen };

function remembered() {
  try {
    return window.localStorage.getItem(REMEMBERED);
  } catch {
    return null; // storage is denied: the choice lasts as long as the page
  }
}

function remember(language) {
  try {
    window.localStorage.setItem(REMEMBERED, language);
  } catch {
    // Storage is denied, and the page works without.
  }
}

function firstLanguage() {
  const asked = remembered() || (navigator.language || "").slice(0, 2);
  return asked in MARKS ? asked : "en";
}

function said(words, parts = {}) {
  return words[shown.language].replace(/\{(\w+)\}/g, (whole, name) => (name in parts ? parts[name] : whole));
}

function uiWords(key, parts) {
  return said(settings.ui[key], parts);
}

// As the server writes numbers, so that both agree to the last digit.
function written(value, decimals) {
  const [point, thousands] = MARKS[shown.language];
  const [integer, fraction] = Math.abs(value).toFixed(decimals).split(".");
  const grouped = integer.replace(/\B(?=(\d{3})+$)/g, thousands);
  const digits = fraction ? grouped + point + fraction : grouped;
  return value < 0 && /[1-9]/.test(digits) ? "\u2212" + digits : digits;
}

function showLanguage(language) {
  shown.language = language;
  document.documentElement.lang = language;
  document.title = settings.title[language];
  for (const button of document.querySelectorAll("[data-language]")) {
    button.setAttribute("aria-pressed", String(button.dataset.language === language));
  }
  for (const element of document.querySelectorAll("[data-translated]")) {
    element.setAttribute(element.dataset.translated, element.dataset[language]);
  }
}
