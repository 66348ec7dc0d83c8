"use strict";

// The token stays in its field: it is sent with each request and kept nowhere.
let history = []; // the conversation so far, as the server gave it
const field = (name) => document.getElementById(name);

function headers(accept) {
  const token = field("token").value.trim();
  return { Accept: accept, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
}

function show(question, fill) {
  const article = document.createElement("article");
  const heading = document.createElement("h2");
  heading.textContent = question;
  const body = document.createElement("div");
  fill(body);
  article.append(heading, body);
  field("answers").append(article);
  heading.tabIndex = -1;
  heading.focus();
}

function showTrouble(question, sentence) {
  show(question, (body) => {
    body.className = "error";
    body.textContent = sentence;
  });
}

async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    waiting += value;
    const blocks = waiting.split("\n\n");
    waiting = blocks.pop();
    for (const block of blocks) {
      const lines = block.split("\n");
      const part = (name) => lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
      yield { name: part("event")[0], data: JSON.parse(part("data").join("\n")) };
    }
  }
}

const steps = {
  searching: (data) => `Searching for ${data.queries.join("; ")} …`,
  reading: (data) => `Reading ${data.passages} passages …`,
  understood: (data) => `Understood as: ${data.question}`,
  quote: (data) => `Found in ${data.title} …`,
};

async function ask(question) {
  const day = field("day").value;
  const response = await fetch("/ask", {
    method: "POST",
    headers: { ...headers("text/event-stream"), "Content-Type": "application/json" },
    body: JSON.stringify(day ? { question, as_of: day } : { question, history }),
  });
  if (!response.ok) {
    showTrouble(question, (await response.json()).error);
    return;
  }
  for await (const event of eventsOf(response)) {
    if (event.name in steps) field("status").textContent = steps[event.name](event.data);
    history = event.data.history ?? history;
    if (event.name === "answer") show(question, (body) => { body.innerHTML = event.data.html; }); // escaped by the server
    if (event.name === "trouble") showTrouble(question, event.data.error);
  }
}

field("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const question = field("question").value.trim();
  if (!question) return;
  field("status").textContent = "Looking …";
  field("question").value = "";
  try {
    await ask(question);
  } catch (error) {
    showTrouble(question, `The server cannot be reached: ${error.message}`);
  }
  field("status").textContent = "";
});

// A document opens over the page, so that the request carries the token.
document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[href^='/documents/']");
  if (!link) return;
  event.preventDefault();
  const response = await fetch(link.href, { headers: headers("text/html") });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const dialog = field("document");
  const main = page.querySelector("main");
  dialog.lastElementChild.replaceChildren(...(main ? main.childNodes : ["The document cannot be opened."]));
  dialog.showModal();
  dialog.querySelector("mark")?.scrollIntoView({ block: "center" });
});
