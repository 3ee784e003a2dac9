// Requests to the server.

let csrf = null;

/** The error of a request, with the server's code. */
export class ApiError extends Error {
  constructor(status, body) {
    super(body?.message ?? `the server answered ${status}`);
    this.status = status;
    this.code = body?.code;
    this.by = body?.by;
  }
}

/** Sends a request, and returns the JSON of the answer. */
export async function call(method, path, body) {
  const headers = {};
  if (body !== undefined) headers["content-type"] = "application/json";
  if (csrf && method !== "GET") headers["x-windlass-csrf"] = csrf;
  const response = await fetch(path, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    credentials: "same-origin",
  });
  const text = await response.text();
  let value = null;
  try {
    value = text ? JSON.parse(text) : null;
  } catch {
    value = { message: text.slice(0, 200) };
  }
  if (!response.ok) throw new ApiError(response.status, value);
  return value;
}

/** Exchanges a token for a cookie. */
export async function login(token) {
  csrf = (await call("POST", "/api/login", { token })).csrf;
}

/** Reads the CSRF token of the browser's cookie. */
export async function identify() {
  csrf = (await call("GET", "/api/me")).csrf;
}
