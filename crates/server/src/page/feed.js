// The feed of one session. It reconnects with the number of the last numbered event, so nothing is lost or read twice.

/** Opens the feed of a session, and calls a function for each event. Returns a function that closes it. */
export function openFeed(session, onEvent, onState) {
  const path = `/api/sessions/${encodeURIComponent(session)}`;
  let last = 0;
  let source = null;
  let timer = null;
  let pause = 500;
  let isClosed = false;
  /** Returns the status of the session. An event source does not report the status of a refused feed. */
  const readStatus = async () => {
    try {
      return (await fetch(path, { credentials: "same-origin" })).status;
    } catch {
      return 0;
    }
  };
  const reconnect = async () => {
    const status = await readStatus();
    if (isClosed) return;
    if (status === 401) return onState("refused");
    if (status === 404) return onState("missing");
    timer = setTimeout(connect, pause);
    pause = Math.min(pause * 2, 10000);
  };
  const connect = () => {
    source = new EventSource(`${path}/feed?after=${last}`);
    source.onopen = () => {
      pause = 500;
      onState("open");
    };
    source.onmessage = (message) => {
      const event = JSON.parse(message.data);
      // A delta has the number of the event before it, and no id.
      const isNumbered = message.lastEventId !== "" && Number(message.lastEventId) === event.seq && !isDelta(event);
      if (isNumbered) {
        if (event.seq <= last) return;
        last = event.seq;
      }
      onEvent(event);
    };
    source.onerror = () => {
      source.close();
      onState("lost");
      reconnect();
    };
  };
  connect();
  return () => {
    isClosed = true;
    clearTimeout(timer);
    source.close();
  };
}

const DELTAS = new Set([
  "turn_started", "reasoning_delta", "reasoning_ended", "text_delta", "text_ended", "call_started",
  "arguments_delta", "arguments_ended", "call_note", "call_output",
]);

/** Returns whether an event has no number of its own. */
export function isDelta(event) {
  return DELTAS.has(event.kind);
}
