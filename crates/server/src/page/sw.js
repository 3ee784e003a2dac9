// Service worker: shows the announcements of web push while the page is closed or hidden.

async function isVisible() {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  return pages.some((page) => page.visibilityState === "visible");
}

async function show(data) {
  if (await isVisible()) return;
  const tool = typeof data?.tool === "string" ? data.tool : null;
  const body = tool ? `${tool} waits for an answer` : "A question waits for an answer";
  await self.registration.showNotification("Windlass", { body, tag: data?.question, icon: "/icon.svg" });
}

function read(message) {
  try {
    return message?.json();
  } catch {
    return null;
  }
}

async function open() {
  const [page] = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  await (page ? page.focus() : self.clients.openWindow("/"));
}

self.addEventListener("push", (event) => event.waitUntil(show(read(event.data))));
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open());
});
