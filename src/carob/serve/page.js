// One small script: it sends forms, shows what comes back, and asks how far long work is.
"use strict";

const token = document.querySelector('meta[name="carob-token"]').content;
const main = document.getElementById("main");
const status = document.getElementById("status");
let polling = 0;
let asked = 0;

function say(words) {
  status.textContent = words || "";
}

function complain(name, sentence) {
  const place = document.querySelector(`[data-error="${name}"]`) || document.querySelector("[data-error]");
  if (place) place.textContent = sentence;
  say(sentence ? "That did not work." : "");
}

async function send(path, body, headers) {
  const answer = await fetch(path, { method: "POST", body, headers: { "X-Carob-Token": token, ...headers } });
  return answer.json();
}

function show(answer) {
  if (answer.html !== undefined) {
    main.innerHTML = answer.html;
    arrange();
  }
  say(answer.said);
  if (answer.at) {
    const part = document.getElementById(answer.at);
    if (part) part.scrollIntoView();
  }
}

// What a form says, as an object; boxes of one name are a list.
function content(form) {
  const found = {};
  for (const field of form.elements) {
    if (!field.name) continue;
    if (field.type === "checkbox" && field.name !== "ignore_case") {
      found[field.name] = found[field.name] || [];
      if (field.checked) found[field.name].push(field.value);
    } else if (field.type === "checkbox") {
      found[field.name] = field.checked;
    } else if (field.type !== "file") {
      found[field.name] = field.value;
    }
  }
  return found;
}

async function act(name, body) {
  for (const place of document.querySelectorAll("[data-error]")) place.textContent = "";
  const buttons = [...document.querySelectorAll("button")];
  if (name !== "cancel") for (const button of buttons) button.disabled = true;
  say("Working");
  try {
    const answer = await send(`/${name}`, JSON.stringify(body), { "Content-Type": "application/json" });
    if (answer.error) {
      if (name === "read" || name === "example") show(await (await fetch("/view")).json());
      complain(name, answer.error);
    } else {
      show(answer);
    }
  } catch (error) {
    complain(name, "carob does not answer; is it still running?");
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

// A file of votes ("open"), or one of gold beside it ("gold").
async function open(file, name = "open") {
  complain(name, "");
  say(`Reading ${file.name}`);
  try {
    const answer = await send(`/${name}`, file, {
      "Content-Type": "application/octet-stream",
      "X-File-Name": encodeURIComponent(file.name),
    });
    if (answer.error) {
      show(await (await fetch("/view")).json());
      complain(document.querySelector(`[data-error="${name}"]`) ? name : "read", answer.error);
    } else {
      show(answer);
    }
  } catch (error) {
    complain(name, "carob does not answer, or the file is too large.");
  }
}

async function poll() {
  polling = 0;
  const box = document.getElementById("progress");
  if (!box) return;
  const job = await (await fetch("/progress")).json();
  if (job.state === "running") {
    const bar = box.querySelector("progress");
    document.getElementById("progress-words").textContent = `${job.words[0].toUpperCase()}${job.words.slice(1)}`;
    if (job.total) {
      bar.max = job.total;
      bar.value = job.done;
    } else {
      bar.removeAttribute("value");
    }
    polling = setTimeout(poll, 250);
    return;
  }
  // It may have been asked for before the work was cancelled, and come back after that was said.
  const said = { done: "Done.", cancelled: "Cancelled." }[job.state];
  const view = await (await fetch("/view")).json();
  // What was refused while the work went on is still to be read.
  const refused = [...document.querySelectorAll("[data-error]")].map((place) => [place.dataset.error, place.textContent]);
  show({ ...view, said });
  for (const [name, sentence] of refused) {
    const place = document.querySelector(`[data-error="${name}"]`);
    if (place && sentence) place.textContent = sentence;
  }
}

async function plan(form) {
  const now = ++asked;
  const answer = await (await fetch(`/plan?${new URLSearchParams(content(form))}`)).json();
  const place = document.getElementById("plan");
  if (now !== asked || !place) return; // a later question was asked, or another view is shown
  document.querySelector('[data-error="plan"]').textContent = answer.error || "";
  if (answer.html) place.innerHTML = answer.html;
}

async function label(field) {
  const answer = await send("/label", JSON.stringify({ row: field.dataset.row, label: field.value }), {
    "Content-Type": "application/json",
  });
  if (answer.error) return complain("label", answer.error);
  const place = document.getElementById("given");
  if (place) place.innerHTML = answer.given;
  say(answer.said);
}

// After a view was shown: follow work that runs, ask the planner.
function arrange() {
  clearTimeout(polling);
  const box = document.getElementById("progress");
  if (box && box.dataset.running === "yes") polling = setTimeout(poll, 50);
  const planner = document.querySelector("form[data-planner]");
  if (planner) plan(planner);
}

document.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  if (form.querySelector('input[type="file"]')) {
    const chosen = form.querySelector('input[type="file"]').files[0];
    if (chosen) open(chosen, form.dataset.action);
  } else if (form.dataset.action) {
    act(form.dataset.action, content(form));
  }
});

document.addEventListener("change", (event) => {
  const field = event.target;
  if (field.type === "file" && field.files[0]) open(field.files[0], field.form.dataset.action);
  else if (field.dataset.row !== undefined) label(field);
});

document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-planner]");
  if (!form) return;
  clearTimeout(form.waiting);
  form.waiting = setTimeout(() => plan(form), 60);
});

for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    const place = document.getElementById("drop");
    if (!place) return;
    event.preventDefault();
    place.classList.toggle("over", kind === "dragover");
    if (kind === "drop" && event.dataTransfer.files[0]) open(event.dataTransfer.files[0]);
  });
}

arrange();
